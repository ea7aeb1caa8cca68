/* Jumps out of inline assembly, and functions of another operating system's calling convention. */
#include <stdio.h>

__attribute__((noinline)) int is_five(int x) {
  __asm__ goto("cmpl $5, %0\n je %l1" : : "r"(x) : "cc" : five);
  return 0;
five:
  return 55;
}

/* With a result, which is there after the jump, too. */
__attribute__((noinline)) int plus_five(int x) {
  int y;
  __asm__ goto("leal 5(%q1), %0\n testl %1, %1\n js %l2" : "=&r"(y) : "r"(x) : "cc" : negative);
  return y;
negative:
  return -y;
}

__attribute__((ms_abi, noinline)) long foreign(long a, double b, long c, long d, long e) {
  return a + (long)b * 2 + c * 3 + d * 4 + e * 5;
}

int main(void) {
  long(__attribute__((ms_abi)) * pointer)(long, double, long, long, long) = foreign;
  printf("%d %d %ld %ld\n", is_five(4), is_five(5), foreign(1, 2, 3, 4, 5), pointer(5, 4, 3, 2, 1));
  printf("%d %d\n", plus_five(3), plus_five(-3));
  return 0;
}
