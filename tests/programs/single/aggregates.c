/* Structs of many sizes as arguments and results, and every kind of scalar, through first calls. */
#include <stdio.h>
#include <string.h>

#define SIZES(X) \
  X(1) X(2) X(3) X(4) X(7) X(8) X(9) X(12) X(15) X(16) X(17) X(24) X(31) X(32) X(40) X(100)
#define DEFINE(n)                                                       \
  struct s##n {                                                         \
    unsigned char b[n];                                                 \
  };                                                                    \
  static struct s##n make##n(int seed) {                                \
    struct s##n s;                                                      \
    for (int i = 0; i < n; ++i) s.b[i] = (unsigned char)(seed + i * 3); \
    return s;                                                           \
  }                                                                     \
  static unsigned take##n(int before, struct s##n s, double after) {    \
    unsigned sum = before + (int)after;                                 \
    for (int i = 0; i < n; ++i) sum = sum * 31 + s.b[i];                \
    return sum & 0xffff;                                                \
  }
SIZES(DEFINE)

struct mixed {
  double d;
  long l;
};
struct floats {
  float a, b, c;
};
static struct mixed swap(struct mixed m) {
  struct mixed r = {(double)m.l, (long)m.d};
  return r;
}
static struct floats scale(struct floats f, float by) {
  struct floats r = {f.a * by, f.b * by, f.c * by};
  return r;
}

static long many(char a, short b, int c, long d, float e, double f, unsigned char g, long h, int i,
                 short j, double k, float l, double m, float n, double o, double p, double q,
                 long double r, __int128 s) {
  return a + b + c + d + (long)e + (long)f + g + h + i + j + (long)k + (long)l + (long)m + (long)n +
         (long)o + (long)p + (long)q + (long)r + (long)(s >> 64);
}

int main(void) {
#define USE(n) printf("%u ", take##n(n, make##n(n * 7), n * .5));
  SIZES(USE)
  struct mixed m = {3.0, 8};
  struct floats f = {1, 2, 3};
  m = swap(m);
  f = scale(f, 2.5f);
  printf("\n%g %ld %g %g %g\n", m.d, m.l, f.a, f.b, f.c);
  printf("%ld\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18.0L,
                       ((__int128)19 << 64) + 5));
  return 0;
}
