// Functions of glibc that are in no shared library, because each executable gets its own of them:
// https://github.com/compiler-research/CppInterOp/pull/1077
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int prepared, parents, children;

static void prepare(void) { prepared++; }
static void in_parent(void) { parents++; }
static void in_child(void) { children++; }
static void at_quick(void) {
  printf("quick: %d %d %d\n", prepared, parents, children);
  fflush(stdout);
}
static void at_end(void) { puts("not here"); }

int main(void) {
  pthread_atfork(prepare, in_parent, in_child);
  atexit(at_end);
  at_quick_exit(at_quick);
  const pid_t child = fork();
  if (child == 0) quick_exit(3);
  int status;
  waitpid(child, &status, 0);
  printf("child: %d\n", WEXITSTATUS(status));
  fflush(stdout);
  quick_exit(0);
}
