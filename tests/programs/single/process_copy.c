// After fork(), the parent and the child each go on calling functions for the first time; the
// child's first calls must not disturb the parent's, which come later.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int data = 5;
static int before(int x) { return x + data; }
static int in_child(int x) { return x * 3 + data; }
static int in_child_too(int x) { return in_child(x) - 1; }
static int in_parent(int x) { return x * 7 - data; }
static int in_both(int x) { return x ^ data; }
static int in_grandchild(int x) { return x % data; }
static void at_exit(void) {
  printf("exit handler\n");
  fflush(stdout);
}

static int wait_for(pid_t pid) {
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void) {
  atexit(at_exit);
  printf("before %d\n", before(1));
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    data = 6;
    printf("child %d %d\n", in_child_too(2), in_both(3));
    fflush(stdout);
    pid_t grandchild = fork();
    if (grandchild == 0) _exit(in_grandchild(17));
    printf("grandchild %d\n", wait_for(grandchild));
    exit(11);
  }
  printf("status %d\n", wait_for(pid));
  printf("parent %d %d\n", in_parent(2), in_both(3));
  for (int i = 0; i < 3; ++i) {
    fflush(stdout);
    pid = fork();
    if (pid == 0) _exit(in_child(i) + in_both(i));
    printf("copy %d: %d\n", i, wait_for(pid));
  }
  return 4;
}
