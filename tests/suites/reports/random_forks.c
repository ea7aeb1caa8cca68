// Forks at random instants: another thread calls functions for the first time, and each child goes
// on with functions of which nobody has called all. A child has children, too.
//
// seeds: 3
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random_functions.h"

static volatile int done;

static void *call_others(void *seed) {
  uint32_t state = *(uint32_t *)seed, *sum = seed;
  *sum = 0;
  for (int round = 0; round < 30 || !done; round++) {
    const uint32_t found = call_some(next_random(&state), 5, 1);
    if (round < 30) *sum += found;
  }
  return NULL;
}

// Returns 7 bits of what a child finds.
static int run_child(uint32_t state, int depth) {
  uint32_t sum = 0;
  for (int round = 0; round < 4; round++) sum += call_some(next_random(&state), 10, 2);
  if (depth > 0) {
    const pid_t child = fork();
    if (child == 0) _exit(run_child(next_random(&state), depth - 1));
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 127;
    sum += (uint32_t)WEXITSTATUS(status);
  }
  return (int)(sum % 127);
}

int main(int argc, char **argv) {
  uint32_t state = seed_of(argc, argv), others = state ^ 0x9e3779b9u;
  pthread_t thread;
  if (pthread_create(&thread, NULL, call_others, &others) != 0) return 1;
  for (int round = 0; round < 8; round++) {
    usleep(next_random(&state) % 1500);
    const uint32_t seed = next_random(&state);
    const pid_t child = fork();
    if (child == 0) _exit(run_child(seed, round % 3 == 0));
    call_some(next_random(&state), 2, 1);
    int status = 0;
    if (waitpid(child, &status, 0) != child) return 2;
    printf("%d: %d %d\n", round, WIFEXITED(status), WEXITSTATUS(status));
    fflush(stdout);
  }
  done = 1;
  pthread_join(thread, NULL);
  printf("%u\n", others);
  return 0;
}
