// Vectors of unusual counts and of more than 128 bytes, of clang's language extension: arithmetic,
// comparisons, conversions, parts, arguments and results, in structures and in memory.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int int3 __attribute__((ext_vector_type(3)));
typedef double double5 __attribute__((ext_vector_type(5)));
typedef short short7 __attribute__((ext_vector_type(7)));
typedef signed char char3 __attribute__((ext_vector_type(3)));
typedef unsigned char byte1 __attribute__((ext_vector_type(1)));
typedef float float3 __attribute__((ext_vector_type(3)));
typedef int int64x __attribute__((ext_vector_type(64)));
typedef long long long32 __attribute__((ext_vector_type(32)));
typedef unsigned char byte256 __attribute__((ext_vector_type(256)));
typedef float float64x __attribute__((ext_vector_type(64)));
typedef _Bool bool6 __attribute__((ext_vector_type(6)));
typedef char char6 __attribute__((ext_vector_type(6)));

#if __clang_major__ < 20
#define MANY 33
#else  // LLVM 22 crashes, or compiles wrong code, for 33 truth values at -O0.
#define MANY 32
#endif
typedef _Bool bool_many __attribute__((ext_vector_type(MANY)));
typedef char char_many __attribute__((ext_vector_type(MANY)));

// Changes one truth value of a vector. `bytes`: a vector type of as many bytes.
#if __clang_major__ < 20
#define SET(vector, index, truth, bytes) (vector)[index] = (truth)
#else  // Of such an assignment clang 22 makes IR that LLVM 22 refuses.
#define SET(vector, index, truth, bytes)                       \
  do {                                                         \
    bytes all = __builtin_convertvector(vector, bytes);        \
    all[index] = (truth) != 0;                                 \
    vector = __builtin_convertvector(all, __typeof__(vector)); \
  } while (0)
#endif

static volatile unsigned seed = 12345;

static unsigned next(void) {
  seed = seed * 1103515245u + 12345u;
  return seed >> 8;
}

static uint64_t hash(const void* bytes, size_t size) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < size; ++i) {
    sum = (sum ^ ((const unsigned char*)bytes)[i]) * 1099511628211u;
  }
  return sum;
}

struct Mixed {
  char before;
  float3 point;
  char3 color;
  double5 weights;
  int after;
};

__attribute__((noinline)) int3 add_color(int3 x, char3 color) {
  return x + __builtin_convertvector(color, int3);
}

__attribute__((noinline)) float3 cross(float3 a, float3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }

__attribute__((noinline)) short7 clamp(short7 x, short7 low, short7 high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

__attribute__((noinline)) char3 narrow(int3 x) { return __builtin_convertvector(x, char3); }

__attribute__((noinline)) byte1 next_byte(byte1 x, int by) { return x + (byte1)by; }

__attribute__((noinline)) bool6 both(bool6 x, bool6 y) { return x & y; }

__attribute__((noinline)) double sum_of(const double5* x, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += (*x)[i];
  return sum;
}

__attribute__((noinline)) void fill(struct Mixed* mixed, int number) {
  mixed->before = (char)number;
  mixed->point = (float3){number, number * 2.5f, -number};
  mixed->color = (char3){(signed char)number, 1, 2};
  for (int i = 0; i < 5; ++i) mixed->weights[i] = number / (i + 1.0);
  mixed->after = 2 * number;
}

static void small_vectors(void) {
  for (int i = 0; i < 50; ++i) {
    int3 x = {(int)next(), (int)next(), -(int)next()};
    const char3 color = {(signed char)next(), (signed char)next(), (signed char)next()};
    x = add_color(x, color);
    const char3 back = narrow(x >> 3);
    printf("%d %d %d, %d %d %d\n", x.x, x.y, x.z, back.x, back.y, back.z);
    const float3 a = {x.x / 1024.0f, x.y / 512.0f, 1.5f};
    const float3 c = cross(a, a.zyx);
    printf("%g %g %g\n", c.x, c.y, c.z);
    short7 s;
    for (int k = 0; k < 7; ++k) s[k] = (short)next();
    s = clamp(s, (short7)-3000, (short7)3000);
    printf("%016llx\n", (unsigned long long)hash(&s, sizeof(short) * 7));
    const byte1 b = next_byte((byte1){(unsigned char)next()}, i);
    printf("%d\n", b[0]);
    bool6 p, q;
    for (int k = 0; k < 6; ++k) {
      SET(p, k, next() & 1, char6);
      SET(q, k, next() & 2, char6);
    }
    const bool6 r = both(p, q);
    printf("%d%d%d%d%d%d\n", r[0], r[1], r[2], r[3], r[4], r[5]);
  }
}

static void structures(void) {
  struct Mixed mixed[3];
  memset(mixed, 0x5a, sizeof(mixed));
  for (int i = 0; i < 3; ++i) fill(&mixed[i], 10 + i);
  for (int i = 0; i < 3; ++i) {
    const struct Mixed* m = &mixed[i];
    printf("%d %g %d %g %d\n", m->before, m->point.y, m->color[2], sum_of(&m->weights, 5),
           m->after);
  }
  printf("%016llx\n", (unsigned long long)hash(&mixed[1].point, 12));
}

// Of more than 128 bytes.
static void large_vectors(void) {
  static int64x ints[2];
  static byte256 bytes[2];
  static long32 longs;
  static float64x floats;
  for (int i = 0; i < 64; ++i) {
    ints[0][i] = (int)next();
    ints[1][i] = (int)(next() & 15) + 1;
    floats[i] = (float)(next() & 4095) / 8;
  }
  for (int i = 0; i < 256; ++i) {
    bytes[0][i] = (unsigned char)next();
    bytes[1][i] = (unsigned char)(next() % 7 + 1);
  }
  for (int i = 0; i < 32; ++i) longs[i] = (long long)next() << (i % 30);
  for (int round = 0; round < 4; ++round) {
    ints[0] = ints[0] * ints[1] - (ints[0] / ints[1]) + (ints[0] % ints[1]);
    bytes[0] = bytes[0] / bytes[1] + (bytes[0] << (bytes[1] & (unsigned char)3));
    longs = (longs ^ (longs >> 5)) + __builtin_convertvector(ints[0].lo, long32);
    floats = (floats > 100.0f) ? floats * 0.5f : floats + 3.25f;
    ints[0] = ints[0] < ints[1] ? ints[1] : ints[0];
  }
  printf("%016llx %016llx\n", (unsigned long long)hash(&ints[0], sizeof(ints[0])),
         (unsigned long long)hash(&bytes[0], sizeof(bytes[0])));
  printf("%016llx %016llx\n", (unsigned long long)hash(&longs, sizeof(longs)),
         (unsigned long long)hash(&floats, sizeof(floats)));
  printf("%d %d\n", __builtin_reduce_max(ints[0]), __builtin_reduce_add(ints[1]));
}

static void truth_values(void) {
  bool_many x, y;
  for (int i = 0; i < MANY; ++i) {
    SET(x, i, next() & 1, char_many);
    SET(y, i, next() & 4, char_many);
  }
  for (int i = 0; i < 5; ++i) {
    const bool_many z = (x ^ y) | (bool_many)(x & y);
    x = y;
    y = z;
    SET(y, i, !y[i], char_many);
  }
  unsigned set = 0;
  for (int i = 0; i < MANY; ++i) set = set * 3 + x[i] + 2 * y[i];
  printf("%u\n", set);
}

// Runs long enough to be left for optimized code.
static void long_loop(void) {
  int3 x = {1, 2, 3};
  float3 y = {0.5f, 0.25f, 0.125f};
  short7 z = (short7)1;
  byte1 w = {1};
  char3 previous = {1, 2, 3};
  bool6 flags = {0, 1, 0, 1, 1, 0};
  double5 sums = (double5)0.0;
  for (int i = 0; i < 1000000; ++i) {
    x = x.yzx * 3 + i;
    y = y * 0.5f + __builtin_convertvector(x & 7, float3);
    z = z + (short7)(short)x.x;
    w = w * (byte1)5 + (byte1)1;
    previous = __builtin_convertvector(x, char3) - previous;
    flags = flags ^ (bool6) { 1, 0, 0, w[0] & 1, 0, 1 };
    sums[i % 5] += y.x;
  }
  printf("%d %d %d %g %g %g %d %d\n", x.x, x.y, x.z, y.x, y.y, y.z, z[6], w[0]);
  printf("%d %d %d %d%d%d %g %g\n", previous.x, previous.y, previous.z, flags[0], flags[3],
         flags[5], sums[0], sums[4]);
}

int main(void) {
  small_vectors();
  structures();
  large_vectors();
  truth_values();
  long_loop();
  return 0;
}
