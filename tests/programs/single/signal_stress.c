// Threads that call functions for the first time, again and again get hot, and fork, while they get
// signals at random instants. Handlers call functions, too. Nothing is lost: the sums are those of
// a program without signals.

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 3, kRounds = 30, kSignals = 1000 };

#define FUNCTION(n)                                                      \
  __attribute__((noinline)) static unsigned long f##n(unsigned long x) { \
    unsigned long sum = x + n;                                           \
    for (int i = 0; i < 50 + n % 9; i++) {                               \
      sum = sum * 6364136223846793005u + n;                              \
      if (sum & 4) sum ^= sum >> 9;                                      \
    }                                                                    \
    return sum;                                                          \
  }
#define NAME(n) f##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define ALL(X) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4)
ALL(FUNCTION)
static unsigned long (*const functions[])(unsigned long) = {ALL(NAME)};
enum { kFunctions = sizeof(functions) / sizeof(*functions) };

static atomic_int received, running;
static atomic_ulong of_handlers;

__attribute__((noinline)) static unsigned long InHandler(unsigned long x) { return x * 33 + 1; }
static void OnSignal(int signal) {
  const int error = errno;
  atomic_store(&of_handlers, InHandler(atomic_load(&of_handlers)) + (unsigned)signal);
  atomic_fetch_add(&received, 1);
  errno = error;
}

static void* Work(void* argument) {
  unsigned long sum = (unsigned long)argument;
  for (int round = 0; round < kRounds; round++) {
    for (int i = 0; i < kFunctions; i++) sum += functions[(i * 7 + round) % kFunctions](sum);
    if (round % 10 == 3) {
      const pid_t child = fork();
      if (child == 0) _exit((int)(functions[round](sum) & 63));
      int status = 0;
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
      sum += (unsigned)WEXITSTATUS(status);
    }
    struct timespec pause = {0, 2000000};
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR) continue;
  }
  atomic_fetch_sub(&running, 1);
  // The thread gets signals until the end.
  while (atomic_load(&running) > -1) {
    struct timespec pause = {0, 200000};
    nanosleep(&pause, NULL);
  }
  return (void*)sum;
}

int main(void) {
  struct sigaction action = {.sa_handler = OnSignal, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  sigaction(SIGRTMIN + 3, &action, NULL);
  const int signals[] = {SIGUSR1, SIGUSR2, SIGRTMIN + 3};
  pthread_t threads[kThreads];
  atomic_store(&running, kThreads);
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, Work, (void*)i);
  srand((unsigned)getpid());
  int sent = 0;
  while (sent < kSignals || atomic_load(&running) > 0) {
    pthread_kill(threads[rand() % kThreads], signals[rand() % 3]);
    sent++;
    struct timespec pause = {0, rand() % 100000};
    nanosleep(&pause, NULL);
  }
  atomic_store(&running, -1);
  unsigned long sum = 0;
  for (int i = 0; i < kThreads; i++) {
    void* result;
    pthread_join(threads[i], &result);
    sum += (unsigned long)result;
  }
  printf("%lu %d\n", sum, atomic_load(&received) > 100);
  return 0;
}
