// Says what the program gets, and what its own processes get.

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int given_number(void);
extern char** environ;

int main(int argc, char** argv) {
  const char* preload = getenv("LD_PRELOAD");
  printf("program %s: %d", program_invocation_short_name, argc);
  for (int i = 1; i < argc; ++i) printf(" '%s'", argv[i]);
  printf("; preloaded: %s\n", preload == NULL ? "nothing" : preload);
  for (char** entry = environ; *entry != NULL; ++entry) {
    // The test gives this one to every command.
    if (strncmp(*entry, "FIRSTCALL_CACHE=", 16) == 0) continue;
    if (strncmp(*entry, "FIRSTCALL_", 10) == 0) printf("has %s\n", *entry);
  }
  fflush(stdout);
  if (system("echo child: ${LD_PRELOAD-nothing}") != 0) return 1;
  return given_number();
}
