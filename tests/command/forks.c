// Threads call functions for the first time, while the first thread forks. Each child calls a
// function that has no code yet. Prints how many children did not end as they should.

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ONE(n) \
  static int f##n(int x) { return x + 1##n; }
#define TEN(n) \
  ONE(n##0)    \
  ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) \
  TEN(n##0)        \
  TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1)
HUNDRED(2)
HUNDRED(3)
HUNDRED(4)
HUNDRED(5)
HUNDRED(6)
HUNDRED(7)
HUNDRED(8)
#undef ONE
#define ONE(n) f##n,
enum { kFunctions = 800, kThreads = 4, kForks = 60 };
static int (*const volatile functions[kFunctions])(int) = {
    HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) HUNDRED(6) HUNDRED(7) HUNDRED(8)};

static int in_child(int x) { return x * 77; }

static void* call(void* first) {
  for (long i = (long)first; i < kFunctions; i += kThreads) functions[i]((int)i);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, call, (void*)i);
  int wrong = 0;
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(in_child(i) - 77 * i);
    }
    int status = 0;
    waitpid(child, &status, 0);
    wrong += status != 0;
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("%d wrong\n", wrong);
  return 0;
}
