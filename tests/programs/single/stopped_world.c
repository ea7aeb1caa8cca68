// A program like a collector: a thread stops all others by a signal, calls functions for the first
// time, and lets the others go on, which call functions for the first time, too.

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kMutators = 4, kStops = 15 };

static sem_t answers;
static atomic_int stop_number, released_stop, ended;

static void OnStop(int signal) {
  (void)signal;
  const int number = atomic_load(&stop_number);
  sem_post(&answers);
  while (atomic_load(&released_stop) < number) usleep(100);
  sem_post(&answers);
}

#define FUNCTION(n)                                           \
  __attribute__((noinline)) static long f##n(long x) {        \
    long sum = x;                                             \
    for (int i = 0; i < 300 + n % 7; i++) {                   \
      sum = (long)((unsigned long)sum * 31) + (sum >> 7) + n; \
      if (sum & 1) sum ^= n;                                  \
    }                                                         \
    return sum;                                               \
  }
#define NAME(n) f##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define ALL(X) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5)
ALL(FUNCTION)
static long (*const functions[])(long) = {ALL(NAME)};
enum { kFunctions = sizeof(functions) / sizeof(*functions), kOfMutators = kFunctions - kStops };

static void* Mutate(void* argument) {
  const long number = (long)argument;
  unsigned long sum = 0;
  for (int i = 0; i < kOfMutators; i++) {
    sum += (unsigned long)functions[(i + number * 9) % kOfMutators](i);
  }
  atomic_fetch_add(&ended, 1);
  while (atomic_load(&ended) < 100) usleep(200);  // A thread that has ended gets no signals.
  return (void*)sum;
}

int main(void) {
  sem_init(&answers, 0, 0);
  struct sigaction action = {.sa_handler = OnStop, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t threads[kMutators];
  for (long i = 0; i < kMutators; i++) pthread_create(&threads[i], NULL, Mutate, (void*)i);
  unsigned long sum = 0;
  for (int k = 0; k < kStops; k++) {
    atomic_fetch_add(&stop_number, 1);
    for (int i = 0; i < kMutators; i++) pthread_kill(threads[i], SIGUSR1);
    for (int i = 0; i < kMutators; i++) sem_wait(&answers);
    sum += (unsigned long)functions[kOfMutators + k](k);
    atomic_store(&released_stop, k + 1);
    for (int i = 0; i < kMutators; i++) sem_wait(&answers);
  }
  while (atomic_load(&ended) < kMutators) usleep(100);
  atomic_store(&ended, 100);
  for (int i = 0; i < kMutators; i++) {
    void* result;
    pthread_join(threads[i], &result);
    sum += (unsigned long)result;
  }
  printf("%lu\n", sum);
  return 0;
}
