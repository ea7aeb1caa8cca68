/* Constructors and destructors by priority, exit handlers, and exit from a nested call. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor(201))) static void second(void) { puts("constructor 201"); }
__attribute__((constructor(101))) static void first(void) { puts("constructor 101"); }
__attribute__((constructor)) static void third(void) { puts("constructor"); }
__attribute__((destructor(101))) static void last(void) { puts("destructor 101"); }
__attribute__((destructor)) static void early(void) { puts("destructor"); }
static void handler(void) { puts("handler"); }
static void other(void) { puts("other handler"); }

static void leave(int status) {
  puts("leaving");
  exit(status);
}

int main(int argc, char **argv) {
  atexit(handler);
  atexit(other);
  printf("main %d %s\n", argc, argv[1]);
  leave(9);
  return 1;
}
