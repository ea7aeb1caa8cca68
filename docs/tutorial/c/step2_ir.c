/* Steps 1 and 2: reads a program and prints its LLVM IR. */

#include <stdio.h>
#include <stdlib.h>

#include "docs/tutorial/c/pebble.h"

int main(int argc, char** argv) {
  char error[200];
  char* const ir = PebbleCompile(argc > 1 ? argv[1] : "", 0, error, sizeof(error));
  if (ir == NULL) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  fputs(ir, stdout);
  free(ir);
  return 0;
}
