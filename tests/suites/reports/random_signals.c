// A timer's signals at random instants, while functions are called for the first time on the thread
// that gets the signal and on another one. The handler, which has run before, does what a handler
// may do.
//
// seeds: 3
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "random_functions.h"

static int ends[2];
static volatile sig_atomic_t handled;

static void handle(int number) {
  const int saved = errno;
  const char letter = 'a';
  char back;
  if (number == SIGALRM && write(ends[1], &letter, 1) == 1 && read(ends[0], &back, 1) == 1)
    handled++;
  errno = saved;
}

static void *call_others(void *seed) {
  uint32_t state = *(uint32_t *)seed ^ 0x9e3779b9u, *sum = seed;
  *sum = 0;
  for (int round = 0; round < 20; round++) *sum += call_some(next_random(&state), 12, 2);
  return NULL;
}

int main(int argc, char **argv) {
  uint32_t state = seed_of(argc, argv), others = state, sum = 0;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  if (pipe(ends) != 0 || sigaction(SIGALRM, &action, NULL) != 0) return 1;
  raise(SIGALRM);
  const long interval = 300 + next_random(&state) % 900;
  const struct itimerval timer = {{0, interval}, {0, interval}}, none = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &timer, NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, call_others, &others) != 0) return 2;
  for (int round = 0; round < 20; round++) sum += call_some(next_random(&state), 12, 2);
  pthread_join(thread, NULL);
  while (handled < 3) call_some(0, 1, 1);
  setitimer(ITIMER_REAL, &none, NULL);
  printf("%u %u\n", sum, others);
  return 0;
}
