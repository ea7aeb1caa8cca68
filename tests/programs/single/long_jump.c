/* setjmp and longjmp across frames that were compiled after the setjmp. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf target;
static int depth;

static void deeper(int n) {
  ++depth;
  if (n == 0) longjmp(target, depth);
  deeper(n - 1);
}

int main(void) {
  volatile int rounds = 0;
  int from = setjmp(target);
  printf("from %d\n", from);
  if (rounds++ < 3) {
    depth = 0;
    deeper(rounds * 2);
  }
  return from;
}
