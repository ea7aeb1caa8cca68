// An intrinsic of AVX-512 that repairs special numbers, where a mask allows it:
// https://github.com/llvm/llvm-project/issues/179057
//
// only: x86_64
#include <immintrin.h>
#include <stdio.h>

__attribute__((noinline, target("avx512f,avx512vl"))) static void repair(const float *in,
                                                                         float *out,
                                                                         unsigned mask) {
  const __m128i table = _mm_set1_epi32(0x04030210);
  const __m128 fixed =
      _mm_mask_fixupimm_ss(_mm_loadu_ps(in), (__mmask8)mask, _mm_loadu_ps(in + 4), table, 0);
  _mm_storeu_ps(out, fixed);
}

int main(void) {
  if (!__builtin_cpu_supports("avx512vl")) return 0;
  const float in[8] = {1.5f, 17.73f, -3.0f, 8.25f, 0.0f, 6.5f, 7.5f, -9.0f};
  float out[4];
  for (unsigned mask = 0; mask < 2; mask++) {
    repair(in, out, mask);
    printf("%g %g %g %g\n", (double)out[0], (double)out[1], (double)out[2], (double)out[3]);
  }
  return 0;
}
