// A timer calls a function for the first time, on a thread that the C library makes.

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static volatile int has_expired;
static void Expire(union sigval value) {
  __atomic_store_n(&has_expired, value.sival_int, __ATOMIC_RELEASE);
}

int main(void) {
  struct sigevent event;
  memset(&event, 0, sizeof(event));
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = Expire;
  event.sigev_value.sival_int = 5;
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec time = {{0, 0}, {0, 1000000}};
  timer_settime(timer, 0, &time, NULL);
  while (__atomic_load_n(&has_expired, __ATOMIC_ACQUIRE) == 0) continue;
  printf("expired: %d\n", has_expired);
  return 0;
}
