// More arguments than registers, long double and 128-bit integers, through first calls of all
// kinds.
#include <stdio.h>

static double many(int a, double b, int c, float d, long e, double f, short g, double h, char i,
                   double j, unsigned k, double l, int m, double n, int o, double p, long q,
                   double r, int s, double t, double u, double v) {
  return a + 2 * b + 3 * c + 4 * d + 5. * (double)e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j +
         11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p + 17. * (double)q + 18 * r + 19 * s +
         20 * t + 21 * u + 22 * v;
}
static double (*many_pointer)(int, double, int, float, long, double, short, double, char, double,
                              unsigned, double, int, double, int, double, long, double, int, double,
                              double, double) = many;

static long double long_doubles(long double a, int b, long double c, double d, long double e) {
  return a * b + c / d - e;
}
static __int128 wide(__int128 a, int b, unsigned __int128 c, long d, __int128 e, __int128 f) {
  return a * b + (__int128)c - d * e + f;
}
static void print_wide(const char* name, __int128 value) {
  printf("%s %016llx%016llx\n", name, (unsigned long long)(value >> 64), (unsigned long long)value);
}
static _Bool flags(_Bool a, signed char b, unsigned char c, short d, unsigned short e) {
  return a && b == -1 && c == 255 && d == -1 && e == 65535;
}

int main(void) {
  printf("%.6f\n", many(1, .5, 2, .25f, 3, .75, 4, 1.5, 5, 2.5, 6, 3.5, 7, 4.5, 8, 5.5, 9, 6.5, 10,
                        7.5, 8.5, 9.5));
  printf("%.6f\n", many_pointer(-1, .5, 2, .25f, -3, .75, -4, 1.5, 5, 2.5, 6, 3.5, 7, 4.5, 8, 5.5,
                                9, 6.5, 10, 7.5, 8.5, -9.5));
  printf("%.12Lf\n", long_doubles(1.25L, 3, 10.0L, 4.0, 0.125L));
  __int128 big = ((__int128)1 << 100) + 12345;
  print_wide("direct", wide(big, -3, 7, 11, big, 1));
  __int128 (*volatile pointer)(__int128, int, unsigned __int128, long, __int128, __int128) = wide;
  print_wide("pointer", pointer(-big, 5, 1, 2, 3, big));
  print_wide("quotient", big / 1000003);
  printf("flags %d\n", flags(1, -1, 255, -1, 65535));
  return 0;
}
