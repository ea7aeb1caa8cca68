/* Arithmetic, the library's functions, and a rounding mode that a first call must not disturb. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>

static double third(double x) { return x / 3.0; }
static float single(float x) { return sqrtf(x) * 1.1f; }
static long double extended(long double x) { return x / 7; }

int main(void) {
  volatile double one = 1.0;
  printf("%.17g %.9g %.20Lg %.17g %.17g\n", third(one), single(2.0f), extended(one), sin(one),
         pow(one + 1, 0.5));
  fesetround(FE_UPWARD);
  extern double after_rounding(double);
  printf("%.17g %d\n", after_rounding(one), fegetround() == FE_UPWARD);
  return 0;
}

double after_rounding(double x) { return x / 3.0; }
