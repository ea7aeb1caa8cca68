// A loop over a switch by lanes, which becomes masks where AVX-512 is used:
// https://github.com/llvm/llvm-project/issues/174871
#include <stdio.h>

__attribute__((noinline)) static void apply(const int *in, int *out, int count) {
  for (int i = 0; i < count; i++) {
    int value = in[i];
    switch (value & 3) {
      case 0:
        value += 5;
        break;
      case 1:
        value *= 3;
        break;
      case 2:
        value ^= 0x55;
        break;
      default:
        value = -value;
        break;
    }
    out[i] = value;
  }
}

int main(void) {
  int in[67], out[67];
  unsigned sum = 0;
  for (int round = 0; round < 5000; round++) {
    for (int i = 0; i < 67; i++) in[i] = round * i + (i >> 2);
    apply(in, out, 67);
    for (int i = 0; i < 67; i++) sum = sum * 17 + (unsigned)out[i];
  }
  printf("%u\n", sum);
  return 0;
}
