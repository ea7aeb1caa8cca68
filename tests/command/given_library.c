// A shared library that says what its constructor gets.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

extern char** environ;

int given_number(void) { return 7; }

__attribute__((constructor)) static void construct(int argc, char** argv, char** environment) {
  const char* preload = getenv("LD_PRELOAD");
  printf("library: %d", argc);
  for (int i = 1; i < argc; ++i) printf(" '%s'", argv[i]);
  printf("; preloaded: %s\n", preload == NULL ? "nothing" : preload);
  if (argv[argc] != NULL || environment != environ) printf("something is wrong\n");
}
