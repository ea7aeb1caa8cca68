/* 128, 256 and 512 bit vectors as arguments and results of first calls, direct and by pointer. */
#include <stdio.h>

typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));

static v4 add4(v4 a, v4 b, v4 c, v4 d, v4 e, v4 f, v4 g, v4 h) {
  return a + b * 2 + c + d + e + f + g + h * 3;
}

#if defined(__x86_64__)
__attribute__((target("avx"))) static v8 add8(v8 a, v8 b, v8 c, v8 d, v8 e, v8 f, v8 g, v8 h) {
  return a + b * 2 + c + d + e + f + g + h * 3;
}
__attribute__((target("avx"), noinline)) static void use8(void) {
  v8 (*volatile pointer)(v8, v8, v8, v8, v8, v8, v8, v8) = add8;
  v8 x = {1, 2, 3, 4, 5, 6, 7, 8};
  v8 r = pointer(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7);
  for (int i = 0; i < 8; ++i) printf("%g ", r[i]);
  puts("");
}
__attribute__((target("avx512f"))) static v16 add16(v16 a, v16 b, v16 c, v16 d, v16 e, v16 f, v16 g,
                                                    v16 h) {
  return a + b * 2 + c + d + e + f + g + h * 3;
}
__attribute__((target("avx512f"), noinline)) static void use16(void) {
  v16 x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  v16 r = add16(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7);
  for (int i = 0; i < 16; ++i) printf("%g ", r[i]);
  puts("");
}
#endif

int main(void) {
  v4 x = {1, 2, 3, 4};
  v4 r = add4(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7);
  printf("%g %g %g %g\n", r[0], r[1], r[2], r[3]);
#if defined(__x86_64__)
  unsigned a = 7, b, c = 0, d; /* cpuid: which of them this CPU has */
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  if (b & (1u << 5)) use8();
  if (b & (1u << 16)) use16();
#endif
  return 0;
}
