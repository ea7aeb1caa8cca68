// A program with debug information, whose functions have their lines in different ways. Prints its
// process id.

#include "tests/command/lines.h"

#include <stdio.h>
#include <unistd.h>

// The baseline code generator makes it: calls, a loop, branches.
__attribute__((noinline)) long Sum(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    if (i % 3 == 0) {
      sum += i;
    } else {
      sum -= 1;
    }
  }
  return sum;
}

// With lines of two files.
__attribute__((noinline)) long Mixed(long n) {
  long sum = 1;
  while (n > 0) {
    sum = Mix(sum, n);
    --n;
  }
  return sum;
}

// Assembly that aligns code is LLVM's.
__attribute__((noinline)) long ByLlvm(long x) {
  long y = x + 1;
  __asm__ volatile("nop\n\t.p2align 4\n\tnop" : "+r"(y));
  return y;
}

__attribute__((noinline)) long Third(long x) {
  long y = x * 3;
  if (y % 7 == 2) y += Sum(x % 5);
  return y;
}

int main(void) {
  long sum = Sum(10);
  sum += Mixed(10);
  sum += ByLlvm(sum);
  for (long i = 0; i < 20; ++i) sum += Third(i);
  printf("%d %ld\n", (int)getpid(), sum);
  return 0;
}
