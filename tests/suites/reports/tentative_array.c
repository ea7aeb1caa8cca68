// A tentative array without a size, a pointer to which stands for a parameter in unoptimized code:
// https://github.com/llvm/llvm-project/issues/168877
#include <stdint.h>
#include <stdio.h>

int32_t grid[5][2];
int32_t unsized[];

int32_t pick(int32_t a, int64_t b, int32_t c, int32_t *from, int8_t d) {
  return *from + a + (int32_t)b + c + d;
}

int main(void) {
  int32_t *cell = &grid[4][1];
  *cell = pick(0, 0, 2, &unsized[0], 4) - 1;
  printf("%08X\n", (unsigned)grid[4][1]);
  return 0;
}
