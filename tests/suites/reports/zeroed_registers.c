// Registers that are zeroed at the return of a function that returns a double. With AVX-512, LLVM
// zeroes the wrong ones: https://github.com/llvm/llvm-project/issues/163053
//
// flags: -fzero-call-used-regs=all
// only: x86_64
#include <stdio.h>

__attribute__((noinline)) static double average(const double *values, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += values[i];
  return sum / count;
}

int main(void) {
  double values[48], total = 0;
  int zeros = 0;
  for (int i = 0; i < 48; i++) values[i] = 2 * i + 1;
  for (int round = 0; round < 200000; round++) {
    const double found = average(values, 48);
    total += found;
    zeros += found == 0;
  }
  printf("%g %d\n", total, zeros);
  return 0;
}
