// Fibers with small stacks that a few threads run in turn, as Go's scheduler does: a fiber yields
// in the middle of its loops, and goes on in another thread. So a loop gets hot, and is left for
// optimized code, in another thread than the one in which it began. Meanwhile the threads get
// signals whose handlers have a stack of their own.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum {
  kThreads = 3,
  kFibers = 300,
  kRounds = 3,
  kIterations = 300,
  kStack = 24 << 10,
  kPage = 4 << 10
};

struct Fiber {
  ucontext_t context;
  struct Fiber *next;
  unsigned number, result;
  int is_over;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct Fiber *first, **last = &first;
static int unfinished = kFibers;

// Of the thread. A function that yields has another thread afterwards, so the variables are reached
// by functions of their own.
static _Thread_local ucontext_t scheduler;
static _Thread_local struct Fiber *current;
static _Thread_local unsigned switches;
static __attribute__((noinline)) ucontext_t *Scheduler(void) { return &scheduler; }
static __attribute__((noinline)) struct Fiber *Current(void) { return current; }
static __attribute__((noinline)) void SetCurrent(struct Fiber *fiber) {
  current = fiber;
  switches++;
}

static void Push(struct Fiber *fiber) {
  pthread_mutex_lock(&mutex);
  fiber->next = NULL;
  *last = fiber;
  last = &fiber->next;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

// Null if all are over.
static struct Fiber *Pop(void) {
  pthread_mutex_lock(&mutex);
  while (first == NULL && unfinished != 0) pthread_cond_wait(&changed, &mutex);
  struct Fiber *fiber = first;
  if (fiber != NULL && (first = fiber->next) == NULL) last = &first;
  pthread_mutex_unlock(&mutex);
  return fiber;
}

static __attribute__((noinline)) void Yield(void) { swapcontext(&Current()->context, Scheduler()); }

static __attribute__((noinline)) unsigned Mix(unsigned x, unsigned y) {
  return x * 31 + (y ^ x >> 7);
}
static __attribute__((noinline)) double Divide(double x, unsigned y) { return x / (y + 1.0); }

#define KIND(n, step)                                                               \
  static __attribute__((noinline)) unsigned Kind##n(unsigned number) {              \
    unsigned sum = number;                                                          \
    double quotient = number + step;                                                \
    for (unsigned i = 0; i < kIterations; i++) {                                    \
      sum = Mix(sum, i + step);                                                     \
      quotient = Divide(quotient + i, sum & 15);                                    \
      if ((sum & 255) == n || i == number % kIterations) Yield();                   \
      for (unsigned k = 0; k < (number & 3); k++) sum ^= Mix(k, Current()->number); \
    }                                                                               \
    return sum + (unsigned)quotient;                                                \
  }
KIND(0, 3)
KIND(1, 5)
KIND(2, 7) KIND(3, 11) static unsigned (*const kinds[])(unsigned) = {Kind0, Kind1, Kind2, Kind3};

static void Run(void) {
  for (unsigned round = 0; round < kRounds; round++) {
    struct Fiber *own = Current();
    own->result = Mix(own->result, kinds[(own->number + round) % 4](own->number));
    Yield();
  }
  Current()->is_over = 1;
  setcontext(Scheduler());
}

static void *Schedule(void *argument) {
  stack_t stack = {.ss_sp = argument, .ss_size = kStack};
  if (sigaltstack(&stack, NULL) != 0) exit(3);
  raise(SIGUSR1);  // The fibers may be over before main sends a signal.
  for (struct Fiber *fiber; (fiber = Pop()) != NULL;) {
    SetCurrent(fiber);
    swapcontext(Scheduler(), &fiber->context);
    if (!fiber->is_over) {
      Push(fiber);
      continue;
    }
    pthread_mutex_lock(&mutex);
    if (--unfinished == 0) pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  unsigned *count = malloc(sizeof(*count));
  *count = switches;
  return count;
}

// An overflow is a fault.
static char *NewStack(void) {
  char *pages =
      mmap(NULL, kPage + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages, kPage, PROT_NONE) != 0) exit(2);
  return pages + kPage;
}

static atomic_uint handled;
static __attribute__((noinline)) unsigned ForHandler(unsigned x) {
  for (unsigned i = 0; i < 40; i++) x = Mix(x, i);
  return x | 1;
}
static void Handle(int signal) { atomic_fetch_add(&handled, ForHandler((unsigned)signal) != 0); }

int main(void) {
  struct sigaction action = {.sa_handler = Handle, .sa_flags = SA_ONSTACK | SA_RESTART};
  if (sigaction(SIGUSR1, &action, NULL) != 0) return 1;
  static struct Fiber fibers[kFibers];
  for (unsigned i = 0; i < kFibers; i++) {
    getcontext(&fibers[i].context);
    fibers[i].context.uc_stack.ss_sp = NewStack();
    fibers[i].context.uc_stack.ss_size = kStack;
    fibers[i].number = i;
    makecontext(&fibers[i].context, Run, 0);
    Push(&fibers[i]);
  }
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, Schedule, NewStack());
  for (int i = 0; i < 300; i++) {
    pthread_kill(threads[i % kThreads], SIGUSR1);
    usleep(100);
  }
  unsigned all_switches = 0, sum = 0;
  for (int i = 0; i < kThreads; i++) {
    void *count;
    pthread_join(threads[i], &count);
    all_switches += *(unsigned *)count;
    free(count);
  }
  for (unsigned i = 0; i < kFibers; i++) sum = Mix(sum, fibers[i].result);
  printf("%u %u %d\n", sum, all_switches, atomic_load(&handled) > 0);
  return 0;
}
