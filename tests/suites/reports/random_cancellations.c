// Threads are cancelled at random instants: each calls functions for the first time between the
// points at which it may be cancelled, and its handlers run, while the main thread calls others.
//
// seeds: 3
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "random_functions.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int cleaned, wrong;

static void clean(void *count) {
  pthread_mutex_lock(&mutex);
  cleaned += *(int *)count;
  pthread_mutex_unlock(&mutex);
}

static void *call_until_cancelled(void *seed) {
  uint32_t state = *(uint32_t *)seed;
  int one = 1, ten = 10;
  pthread_cleanup_push(clean, &ten);
  for (;;) {
    const unsigned at = next_random(&state) % kFunctions;
    pthread_cleanup_push(clean, &one);
    const uint32_t first = call_some(at, 3, 1);
    pthread_testcancel();
    if (call_some(at, 3, 1) != first) wrong++;
    usleep(0);
    pthread_cleanup_pop(0);
  }
  pthread_cleanup_pop(0);
  return NULL;
}

int main(int argc, char **argv) {
  uint32_t state = seed_of(argc, argv), sum = 0;
  int cancelled = 0;
  for (int round = 0; round < 12; round++) {
    pthread_t thread;
    uint32_t seed = next_random(&state) | 1;
    void *result = NULL;
    if (pthread_create(&thread, NULL, call_until_cancelled, &seed) != 0) return 1;
    usleep(next_random(&state) % 1500);
    sum += call_some(next_random(&state), 8, 2);
    pthread_cancel(thread);
    sum += call_some(next_random(&state), 8, 2);
    pthread_join(thread, &result);
    cancelled += result == PTHREAD_CANCELED;
  }
  // How many of the inner handlers had to run depends on the instants.
  printf("%u %d %d %d\n", sum, cancelled, wrong, cleaned >= 120 && cleaned <= 132);
  return 0;
}
