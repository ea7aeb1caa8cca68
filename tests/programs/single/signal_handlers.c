// Signals that come while functions are called for the first time: a timer's, handlers that leave
// by siglongjmp, faults; what the functions that install handlers return; and whose the signal mask
// is.

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(n)                                    \
  __attribute__((noinline)) static long f##n(long x) { \
    long sum = 0;                                      \
    for (long i = 0; i < 200; i++) {                   \
      sum += (x + i) % (n + 3);                        \
      if (sum & 1) sum ^= i * n;                       \
    }                                                  \
    return sum;                                        \
  }
#define NAME(n) f##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define ALL(X) TEN(X, 1) TEN(X, 2) TEN(X, 3)
ALL(FUNCTION)
static long (*const functions[])(long) = {ALL(NAME)};
enum { kFunctions = sizeof(functions) / sizeof(*functions), kPart = kFunctions / 3 };

static long CallPart(int part) {
  long sum = 0;
  for (int i = 0; i < kPart; i++) sum += functions[part * kPart + i](i);
  return sum;
}

static void SetTimer(int microseconds) {
  struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

// Where everything is slow, as in an emulator, signals must leave time for something else.
static volatile int interval;
static void SetSlowerTimer(void) {
  if (interval < 200000) interval *= 2;
  SetTimer(interval);
}

// --- A handler that is called for the first time by a timer ---

static volatile sig_atomic_t ticks;
static volatile long tick_sum;
__attribute__((noinline)) static long Mix(long x) { return x * 31 + 7; }
static void OnTick(int signal) {
  const int error = errno;
  if (++ticks % 100 == 0) SetSlowerTimer();
  tick_sum = Mix(tick_sum) + signal;
  errno = error;
}

static void TestTimer(void) {
  struct sigaction action = {.sa_handler = OnTick, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  SetTimer(interval = 300);
  const long sum = CallPart(0);
  // The thread sanitizer delivers no signal before the thread calls the C library.
  while (ticks < 3) usleep(1);
  SetTimer(0);
  printf("timer: %ld\n", sum);
}

// --- siglongjmp out of a handler, again and again ---

static sigjmp_buf before_call;
static volatile sig_atomic_t leaves;
static void Leave(int signal) {
  (void)signal;
  if (leaves) siglongjmp(before_call, 1);
}

static void TestLeaving(void) {
  signal(SIGALRM, Leave);
  static volatile int left;
  static volatile int next;
  static volatile long sum;
  interval = 100;
  if (sigsetjmp(before_call, 1) == 0 || ++left % 20 == 0) SetSlowerTimer();
  leaves = 1;
  while (next < kPart) {
    const long value = functions[kPart + next](next);
    leaves = 0;
    sum += value;
    next++;
    leaves = 1;
  }
  leaves = 0;
  SetTimer(0);
  signal(SIGALRM, SIG_DFL);
  // The engine is not left at work: it can fork, and the child can compile.
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(functions[kFunctions - 1](1) == 0 ? 1 : 7);
  int status = 0;
  waitpid(child, &status, 0);
  printf("left: %ld, child %d\n", sum, WEXITSTATUS(status));
}

// --- Faults, while another thread compiles ---

static volatile sig_atomic_t faults;
static char* page;
static void OnFault(int signal, siginfo_t* info, void* context) {
  (void)context;
  if (signal != SIGSEGV || (char*)info->si_addr != page + 8) _exit(9);
  faults++;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

// Hot: LLVM is needed, whose crashes are contained by handlers of the same signals.
__attribute__((noinline)) static long Loop(long n) {
  unsigned long sum = 0;
  for (long i = 0; i < n; i++) sum = sum * 31 + ((unsigned long)i ^ sum);
  return (long)(sum & 0xffff);
}

static void* CallOthers(void* unused) {
  (void)unused;
  return (void*)CallPart(2);
}

static void TestFaults(void) {
  page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action = {.sa_sigaction = OnFault, .sa_flags = SA_SIGINFO};
  struct sigaction before;
  sigaction(SIGSEGV, &action, &before);
  pthread_t thread;
  pthread_create(&thread, NULL, CallOthers, NULL);
  long loops = 0;
  for (int i = 0; i < 300; i++) {
    loops += Loop(200000);
    mprotect(page, 4096, PROT_NONE);
    *(volatile char*)(page + 8) = (char)i;
  }
  void* sum;
  pthread_join(thread, &sum);
  sigaction(SIGSEGV, &before, NULL);
  printf("faults: %d %ld %ld\n", (int)faults, (long)sum, loops);
}

// --- What the functions return ---

static void First(int signal) { printf("first %d\n", signal); }
static void Second(int signal) { printf("second %d\n", signal); }

static void TestResults(void) {
  void (*const none)(int) = signal(SIGUSR1, First);
  void (*const first)(int) = signal(SIGUSR1, Second);
  struct sigaction now;
  sigaction(SIGUSR1, NULL, &now);
  printf("results: %d %d %d\n", none == SIG_DFL, first == First, now.sa_handler == Second);
  first(1);
  raise(SIGUSR1);
  printf("ignored: %d\n", signal(SIGUSR1, SIG_IGN) == Second);
  errno = 0;
  const int is_refused = signal(SIGKILL, First) == SIG_ERR;
  printf("refused: %d %d\n", is_refused, errno == EINVAL);
}

// --- The signal mask ---

__attribute__((constructor)) static void BlockInConstructor(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int IsBlocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  return sigismember(&mask, signal);
}

// Longer than what is compiled along with its caller.
__attribute__((noinline)) static int IsBlockedInFirstCall(int signal, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += IsBlocked(signal);
  return sum;
}

static volatile sig_atomic_t blocked_in_handler;
static void Unblock(int signal) { blocked_in_handler = IsBlockedInFirstCall(signal, 3); }

static void TestMask(void) {
  int (*volatile call)(int, int) = IsBlockedInFirstCall;
  printf("mask: %d %d\n", call(SIGUSR2, 2), call(SIGALRM, 2));
  signal(SIGUSR2, Unblock);
  raise(SIGUSR2);
  printf("pending: %d\n", (int)blocked_in_handler);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  printf("delivered: %d %d\n", (int)blocked_in_handler, IsBlocked(SIGUSR2));
}

// --- Handlers of fork ---

static int forks;
static void CountFork(void) { forks++; }

static void TestForking(void) {
  pthread_atfork(CountFork, CountFork, NULL);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
  printf("forks: %d\n", forks);
}

int main(void) {
  TestResults();
  TestMask();
  TestTimer();
  TestLeaving();
  TestFaults();
  TestForking();
  return 0;
}
