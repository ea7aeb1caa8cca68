// A key schedule with the flag that OpenSSH's build adds, as in the report of an exchange of keys
// that fails where AVX-512 is used: https://github.com/llvm/llvm-project/issues/163053
//
// flags: -fzero-call-used-regs=used
// only: x86_64
#include <stdint.h>
#include <stdio.h>

__attribute__((noinline)) static void mix(uint16_t *out, const uint16_t *in, unsigned round) {
  for (int i = 0; i < 256; i++)
    out[i] = (uint16_t)((in[i] * 17u + in[(i + round) & 255] * 3329u) >> 2);
}

__attribute__((noinline)) static unsigned fold(const uint16_t *values) {
  unsigned sum = 0;
  for (int i = 0; i < 256; i++) sum = sum * 31 + values[i];
  return sum;
}

int main(void) {
  uint16_t a[256], b[256];
  for (int i = 0; i < 256; i++) a[i] = (uint16_t)(i * 257);
  unsigned sum = 0;
  for (unsigned round = 0; round < 3000; round++) {
    mix(b, a, round);
    mix(a, b, round + 1);
    sum ^= fold(a);
  }
  printf("%u\n", sum);
  return 0;
}
