// Functions that are first called, and that get hot, on stacks which are large enough for them and
// for little else: of coroutines, of a signal handler, of a thread.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { kStack = 24 << 10, kGuard = 64 << 10, kCoroutines = 3, kRounds = 200 };

// An overflow is a fault.
static char *NewStack(void) {
  char *pages =
      mmap(NULL, kGuard + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages, kGuard, PROT_NONE) != 0) exit(2);
  return pages + kGuard;
}

static ucontext_t scheduler, coroutines[kCoroutines];
static volatile unsigned step = 3;

static __attribute__((noinline)) void Yield(int i) { swapcontext(&coroutines[i], &scheduler); }

static __attribute__((noinline)) unsigned Mix(unsigned x, unsigned y) {
  return x * 31 + (y ^ x >> 7);
}

static __attribute__((noinline)) unsigned Loop(unsigned count) {
  unsigned sum = 0;
  for (unsigned i = 0; i < count; i++) sum = Mix(sum, i + step);
  return sum;
}

static __attribute__((noinline)) double Divide(double x, unsigned y) { return x / (y + 1.0); }

static __attribute__((noinline)) unsigned OfOne(unsigned x) { return Loop(x) + 1; }
static __attribute__((noinline)) unsigned OfTwo(unsigned x) { return (unsigned)Divide(x, 6) + 2; }
static __attribute__((noinline)) unsigned OfThree(unsigned x) { return OfOne(x / 2) ^ OfTwo(x); }

static unsigned results[kCoroutines];

static void Run(int i) {
  static unsigned (*const functions[kCoroutines])(unsigned) = {OfOne, OfTwo, OfThree};
  for (unsigned round = 0; round < kRounds; round++) {
    results[i] = Mix(results[i], functions[i](round * 40));
    Yield(i);
  }
}

static volatile unsigned of_handler;

static __attribute__((noinline)) unsigned ForHandler(unsigned x) { return Loop(x) * 5; }

static void Handle(int signal) { of_handler = ForHandler((unsigned)signal + 990); }

static __attribute__((noinline)) unsigned ForThread(unsigned x) { return Loop(x) * 7; }

static void *OfThread(void *argument) {
  *(unsigned *)argument = ForThread(2000);
  return NULL;
}

static __attribute__((noinline)) unsigned ForFarewell(unsigned x) { return Loop(x) * 11; }

static void Farewell(void) { printf("farewell: %u\n", ForFarewell(60)); }

static void Leave(void) { exit(5); }

int main(void) {
  atexit(Farewell);
  for (int i = 0; i < kCoroutines; i++) {
    getcontext(&coroutines[i]);
    coroutines[i].uc_stack.ss_sp = NewStack();
    coroutines[i].uc_stack.ss_size = kStack;
    coroutines[i].uc_link = &scheduler;
    makecontext(&coroutines[i], (void (*)(void))Run, 1, i);
  }
  // In the last round they end.
  for (int round = 0; round <= kRounds; round++) {
    for (int i = 0; i < kCoroutines; i++) swapcontext(&scheduler, &coroutines[i]);
  }
  for (int i = 0; i < kCoroutines; i++) printf("coroutine %d: %u\n", i, results[i]);

  stack_t stack = {.ss_sp = NewStack(), .ss_size = kStack};
  struct sigaction action = {.sa_handler = Handle, .sa_flags = SA_ONSTACK};
  if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) return 3;
  raise(SIGUSR1);
  printf("handler: %u\n", of_handler);

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstack(&attributes, NewStack(), kStack) != 0) puts("no such thread");
  pthread_t thread;
  unsigned of_thread = 0;
  if (pthread_create(&thread, &attributes, OfThread, &of_thread) != 0) return 4;
  pthread_join(thread, NULL);
  printf("thread: %u\n", of_thread);

  getcontext(&coroutines[0]);
  coroutines[0].uc_stack.ss_sp = NewStack();
  coroutines[0].uc_stack.ss_size = kStack;
  makecontext(&coroutines[0], Leave, 0);
  setcontext(&coroutines[0]);
  return 6;
}
