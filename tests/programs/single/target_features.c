/* Functions for other CPUs than the module's, chosen when it runs by what the CPU says: target
 * attributes, an ifunc, and always_inline helpers of each kind. */
#include <cpuid.h>
#include <immintrin.h>
#include <stdio.h>

static int numbers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

__attribute__((target("avx2"), always_inline)) static inline __m256i load(const int *from) {
  return _mm256_loadu_si256((const __m256i *)(const void *)from);
}
__attribute__((target("avx2"), noinline)) static int sum_avx2(const int *from) {
  __m256i sum = _mm256_add_epi32(load(from), load(from + 8));
  int lanes[8];
  _mm256_storeu_si256((__m256i *)(void *)lanes, sum);
  int total = 0;
  for (int i = 0; i < 8; ++i) total += lanes[i];
  return total;
}
__attribute__((noinline)) static int sum_plain(const int *from) {
  int total = 0;
  for (int i = 0; i < 16; ++i) total += from[i];
  return total;
}
__attribute__((target("sse4.2"), noinline)) static unsigned checksum_sse(unsigned n) {
  return _mm_crc32_u32(0, n);
}
__attribute__((noinline)) static unsigned checksum_plain(unsigned n) {
  unsigned crc = n;
  for (int i = 0; i < 32; ++i) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
  return crc;
}
__attribute__((target("arch=haswell"), noinline)) static int bits_haswell(unsigned n) {
  return __builtin_popcount(n) + (int)_tzcnt_u32(n);
}
__attribute__((noinline)) static int bits_plain(unsigned n) {
  return __builtin_popcount(n) + __builtin_ctz(n);
}
static int has_avx2(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_AVX)) return 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}
static int has_sse(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}
static int has_bits(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_BMI) && (b & bit_BMI2);
}
__attribute__((target("avx2"))) static int scale_avx2(int n) {
  int total = 0;
  for (int i = 0; i < 16; ++i) total += numbers[i] * n;
  return total;
}
static int scale_plain(int n) { return sum_plain(numbers) * n; }
static int (*choose_scale(void))(int) { return has_avx2() ? scale_avx2 : scale_plain; }
int scale(int n) __attribute__((ifunc("choose_scale")));
static int (*const sums[])(const int *) = {sum_plain, sum_avx2};
static unsigned (*const checksums[])(unsigned) = {checksum_plain, checksum_sse};
static int (*const bits[])(unsigned) = {bits_plain, bits_haswell};
static int (*const scales[])(int) = {scale};

int main(void) {
  const int avx2 = has_avx2();
  const int sse = has_sse();
  const int haswell = avx2 && has_bits();
  printf("%d %d\n", sums[0](numbers), sums[avx2](numbers));
  printf("%08x %08x\n", checksums[0](1234567), checksums[sse](1234567));
  printf("%d %d\n", bits[0](1000), bits[haswell](1000));
  printf("%d %d\n", scale(3), scales[0](4));
  return 0;
}
