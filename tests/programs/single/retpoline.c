/* Indirect calls and jumps through thunks that the code generator adds to each object. */
#include <stdio.h>

static int add(int x) { return x + 1; }
static int twice(int x) { return x * 2; }
int (*table[2])(int) = {add, twice};

__attribute__((noinline)) int call(int i, int x) { return table[i](x); }

__attribute__((noinline)) int choose(int i) {
  switch (i) {
    case 0:
      return 5;
    case 1:
      return 9;
    case 2:
      return 1;
    case 3:
      return 77;
    case 4:
      return 3;
    default:
      return 0;
  }
}

int main(int argc, char **argv) {
  (void)argv;
  printf("%d %d %d\n", call(0, argc), call(1, argc), choose(argc));
  return 0;
}
