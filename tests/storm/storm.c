// What disturbs a program at random instants, as a module beside the program's own: run_storm.py
// says how it is used. The environment variable STORM is what to do, and a number that random
// numbers begin with:
//   signals:SEED  a thread sends signals to the process and to its threads
//   forks:SEED    a thread forks; each child calls functions for the first time, and ends
//   cancel:SEED   the program runs in a thread, which is cancelled once
// At the end it says on standard error how often it did that.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern int main(int argc, char **argv);

enum { kOfChild = 7, kMostThreads = 64 };

#define FUNCTION(n)                                                      \
  __attribute__((noinline)) static unsigned long f##n(unsigned long x) { \
    unsigned long sum = x + n;                                           \
    for (int i = 0; i < 20 + n % 9; i++) {                               \
      sum = sum * 6364136223846793005u + n;                              \
      if (sum & 4) sum ^= sum >> 9;                                      \
    }                                                                    \
    return sum;                                                          \
  }
#define NAME(n) f##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X) \
  TEN(X, 1)        \
  TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9) TEN(X, 10)
HUNDRED(FUNCTION)
static unsigned long (*const functions[])(unsigned long) = {HUNDRED(NAME)};
enum { kFunctions = sizeof(functions) / sizeof(*functions) };

static atomic_ulong done, handled, of_handlers;
static unsigned seed;
static unsigned Random(unsigned below) { return (unsigned)rand_r(&seed) % below; }

static void Pause(unsigned most_microseconds) {
  struct timespec pause = {0, (long)Random(most_microseconds * 1000)};
  nanosleep(&pause, NULL);
}

// Functions that a handler names are compiled when the handler is installed: a first call would
// hang where the signal has interrupted malloc.
static void Handle(int signal) {
  const int error = errno;
  const unsigned long number = atomic_fetch_add(&handled, 1), before = atomic_load(&of_handlers);
  atomic_store(&of_handlers, signal == SIGUSR1 ? number % 2 ? f10(before) : f11(before)
                             : number % 2 ? f12(before)
                                               : f13(before));
  errno = error;
}

static int ReadThreads(pid_t *threads) {
  DIR *directory = opendir("/proc/self/task");
  if (directory == NULL) abort();
  int count = 0;
  for (struct dirent *entry; count < kMostThreads && (entry = readdir(directory)) != NULL;) {
    const pid_t thread = (pid_t)atol(entry->d_name);
    if (thread > 0 && thread != (pid_t)syscall(SYS_gettid)) threads[count++] = thread;
  }
  closedir(directory);
  return count;
}

static void *SendSignals(void *unused) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  for (;;) {
    pid_t threads[kMostThreads];
    const int count = ReadThreads(threads);
    for (int i = 0; i < 20; i++) {
      const int signal = Random(2) ? SIGUSR1 : SIGUSR2;
      if (count == 0 || Random(2)) {
        kill(getpid(), signal);
      } else {
        syscall(SYS_tgkill, getpid(), threads[Random((unsigned)count)], signal);
      }
      atomic_fetch_add(&done, 1);
      Pause(120);
    }
  }
  return unused;
}

static void *Fork(void *unused) {
  for (;;) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      unsigned long sum = 0;
      for (int i = 0; i < 3; i++) sum += functions[Random(kFunctions)](sum);
      char *text = malloc(50);
      _exit(snprintf(text, 50, "%lu", sum) > 0 ? kOfChild : 1);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != kOfChild) {
      fprintf(stderr, "storm: a child ended with status %#x\n", (unsigned)status);
      abort();
    }
    atomic_fetch_add(&done, 1);
    Pause(1000);
  }
  return unused;
}

static void Report(void) {
  char text[100];
  const int size = snprintf(text, sizeof(text), "storm: done %lu handled %lu\n", atomic_load(&done),
                            atomic_load(&handled));
  (void)!write(2, text, (size_t)size);
}

struct Arguments {
  int count;
  char **values;
};

static atomic_int is_over;
static void NoteEnd(void *unused) {
  (void)unused;
  atomic_store(&is_over, 1);
}

static void *RunMain(void *argument) {
  const struct Arguments *arguments = argument;
  pthread_cleanup_push(NoteEnd, NULL);
  if (seed & 1) pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  exit(main(arguments->count, arguments->values));
  pthread_cleanup_pop(0);
  return NULL;
}

// A thread that was cancelled at any instant may leave locks, so the process ends at once.
static void Cancel(int count, char **values) {
  struct Arguments arguments = {count, values};
  pthread_t thread;
  if (pthread_create(&thread, NULL, RunMain, &arguments) != 0) abort();
  const char *most = getenv("STORM_MICROSECONDS");
  Pause(most != NULL ? (unsigned)atol(most) : 100000);
  pthread_cancel(thread);
  while (!atomic_load(&is_over)) usleep(100);
  (void)!write(2, "storm: done 1 handled 0\n", 24);
  _exit(kOfChild);
}

static void Start(void *(*function)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, NULL) != 0) abort();
  pthread_detach(thread);
  atexit(Report);
}

__attribute__((constructor)) static void Begin(int count, char **values) {
  const char *storm = getenv("STORM");
  const char *colon = storm == NULL ? NULL : strchr(storm, ':');
  if (colon == NULL) return;
  seed = (unsigned)atol(colon + 1);
  if (storm[0] == 's') {
    struct sigaction action = {.sa_handler = Handle, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    Start(SendSignals);
  } else if (storm[0] == 'f') {
    Start(Fork);
  } else {
    Cancel(count, values);
  }
}
