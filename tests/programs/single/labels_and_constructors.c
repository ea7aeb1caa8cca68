// The address of a label that is never reached; constructors, which GNU libc gives the program's
// arguments; and functions that are in the static part of the C library.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count = -1;
static char *first;
static int has_environment;

__attribute__((constructor)) static void Begin(int argc, char **argv, char **environment) {
  count = argc;
  first = argv[0];
  has_environment = environment == environ;
}

static void *AddressOfLabel(void) {
  void *address = &&never;
  return address;
never:
  return NULL;
}

static void Prepare(void) {
  puts("before a fork");
  fflush(stdout);  // The thread sanitizer's _exit would write what is left in the child.
}
static void Last(void) {
  puts("quick");
  fflush(stdout);
}

int main(int argc, char **argv) {
  printf("%d %d %d\n", count == argc, first == argv[0], has_environment);
  printf("%d\n", AddressOfLabel() != NULL);
  printf("%d\n", pthread_atfork(&Prepare, NULL, NULL));
  fflush(stdout);
  if (fork() == 0) _exit(0);
  printf("%d\n", at_quick_exit(&Last));
  quick_exit(0);
}
