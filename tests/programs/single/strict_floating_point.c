/* Operations on floating-point numbers round as the mode says that the program has set, and raise
   the exceptions that the program reads: each operation its own, even if nothing uses the result,
   and between the calls that it stands between. */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#pragma STDC FENV_ACCESS ON

#define NOINLINE __attribute__((noinline))

static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

/* The exceptions by letters. The denormal operand of x86-64 is none of C's. */
static const char* raised(void) {
  static char text[6];
  const int flags = fetestexcept(FE_ALL_EXCEPT);
  char* end = text;
  if (flags & FE_INVALID) *end++ = 'v';
  if (flags & FE_DIVBYZERO) *end++ = 'z';
  if (flags & FE_OVERFLOW) *end++ = 'o';
  if (flags & FE_UNDERFLOW) *end++ = 'u';
  if (flags & FE_INEXACT) *end++ = 'x';
  *end = 0;
  return text;
}

static void show_float(const char* what, float value, const char* flags) {
  if (value != value) {
    printf(" %s=nan%s", what, flags);
  } else {
    printf(" %s=%a%s", what, (double)value, flags);
  }
}

static void show_double(const char* what, double value, const char* flags) {
  if (value != value) {
    printf(" %s=nan%s", what, flags);
  } else {
    printf(" %s=%a%s", what, value, flags);
  }
}

static void show_long(const char* what, long double value, const char* flags) {
  if (value != value) {
    printf(" %s=nan%s", what, flags);
  } else {
    printf(" %s=%La%s", what, value, flags);
  }
}

static void show_integer(const char* what, long long value, const char* flags) {
  printf(" %s=%lld%s", what, value, flags);
}

/* The value of the expression, and what it raises. */
#define TRY(show, what, expression)               \
  do {                                            \
    feclearexcept(FE_ALL_EXCEPT);                 \
    __typeof__(expression) result = (expression); \
    const char* const flags = raised();           \
    feclearexcept(FE_ALL_EXCEPT);                 \
    const int mode = fegetround();                \
    fesetround(FE_TONEAREST);                     \
    show(what, result, flags);                    \
    fesetround(mode);                             \
  } while (0)

#define ARITHMETIC(type, show, suffix)                        \
  NOINLINE static void arithmetic_##suffix(type a, type b) {  \
    TRY(show, "add", a + b);                                  \
    TRY(show, "sub", a - b);                                  \
    TRY(show, "mul", a* b);                                   \
    TRY(show, "div", a / b);                                  \
    TRY(show, "neg", -a);                                     \
    TRY(show, "mem", a*(type)0.1f + b);                       \
    TRY(show_integer, "lt", a < b);                           \
    TRY(show_integer, "le", a <= b);                          \
    TRY(show_integer, "gt", a > b);                           \
    TRY(show_integer, "ge", a >= b);                          \
    TRY(show_integer, "eq", a == b);                          \
    TRY(show_integer, "ne", a != b);                          \
    TRY(show_integer, "qlt", __builtin_isless(a, b));         \
    TRY(show_integer, "qle", __builtin_islessequal(a, b));    \
    TRY(show_integer, "qgt", __builtin_isgreater(a, b));      \
    TRY(show_integer, "qge", __builtin_isgreaterequal(a, b)); \
    TRY(show_integer, "qlg", __builtin_islessgreater(a, b));  \
    TRY(show_integer, "quo", __builtin_isunordered(a, b));    \
    TRY(show_integer, "if", a < b ? 1 : 2);                   \
    printf("\n");                                             \
  }

ARITHMETIC(float, show_float, float)
ARITHMETIC(double, show_double, double)
ARITHMETIC(long double, show_long, long)

#define ROUNDINGS(type, show, suffix, f)            \
  NOINLINE static void roundings_##suffix(type a) { \
    TRY(show, "sqrt", sqrt##f(a));                  \
    TRY(show, "ceil", ceil##f(a));                  \
    TRY(show, "floor", floor##f(a));                \
    TRY(show, "trunc", trunc##f(a));                \
    TRY(show, "rint", rint##f(a));                  \
    TRY(show, "nearbyint", nearbyint##f(a));        \
    TRY(show, "round", round##f(a));                \
    TRY(show, "fabs", fabs##f(a));                  \
    TRY(show_integer, "inf", __builtin_isinf(a));   \
    TRY(show_integer, "nan", __builtin_isnan(a));   \
    if (a > -1e9f && a < 1e9f) {                    \
      TRY(show_integer, "lrint", lrint##f(a));      \
      TRY(show_integer, "llrint", llrint##f(a));    \
      TRY(show_integer, "lround", lround##f(a));    \
      TRY(show_integer, "llround", llround##f(a));  \
    }                                               \
    printf("\n");                                   \
  }

ROUNDINGS(float, show_float, float, f)
ROUNDINGS(double, show_double, double, )

/* Only of numbers that fit. */
#define TO_INTEGERS(type, suffix)                                                                \
  NOINLINE static void to_integers_##suffix(type a) {                                            \
    if (a > -128 && a < 128) TRY(show_integer, "i8", (int8_t)a);                                 \
    if (a > -32768 && a < 32768) TRY(show_integer, "i16", (int16_t)a);                           \
    if (a > -2147483648.0f && a < 2147483648.0f) TRY(show_integer, "i32", (int32_t)a);           \
    if (a > -9.2e18f && a < 9.2e18f) TRY(show_integer, "i64", (int64_t)a);                       \
    if (a > -1 && a < 256) TRY(show_integer, "u8", (uint8_t)a);                                  \
    if (a > -1 && a < 65536) TRY(show_integer, "u16", (uint16_t)a);                              \
    if (a > -1 && a < 4294967296.0f) TRY(show_integer, "u32", (uint32_t)a);                      \
    if (a > -1 && a < 1.8e19f) TRY(show_integer, "u64", (long long)(uint64_t)a);                 \
    if (a > -1e30f && a < 1e30f) TRY(show_integer, "i128", (long long)((__int128)a >> 40));      \
    if (a > -1 && a < 1e30f) TRY(show_integer, "u128", (long long)((unsigned __int128)a >> 40)); \
    printf("\n");                                                                                \
  }

TO_INTEGERS(float, float)
TO_INTEGERS(double, double)
TO_INTEGERS(long double, long)

NOINLINE static void from_integers(int64_t i) {
  TRY(show_float, "f8", (float)(int8_t)i);
  TRY(show_float, "f16", (float)(uint16_t)i);
  TRY(show_float, "f32", (float)(int32_t)i);
  TRY(show_float, "fu32", (float)(uint32_t)i);
  TRY(show_float, "f64", (float)i);
  TRY(show_float, "fu64", (float)(uint64_t)i);
  TRY(show_float, "f128", (float)((__int128)i << 7));
  TRY(show_double, "d32", (double)(int32_t)i);
  TRY(show_double, "du32", (double)(uint32_t)i);
  TRY(show_double, "d64", (double)i);
  TRY(show_double, "du64", (double)(uint64_t)i);
  TRY(show_double, "du128", (double)((unsigned __int128)(uint64_t)i << 7));
  TRY(show_long, "l32", (long double)(int32_t)i);
  TRY(show_long, "l64", (long double)i);
  TRY(show_long, "lu64", (long double)(uint64_t)i);
  printf("\n");
}

NOINLINE static void conversions(double a, long double wide) {
  TRY(show_float, "d2f", (float)a);
  TRY(show_long, "d2l", (long double)a);
  TRY(show_float, "l2f", (float)wide);
  TRY(show_double, "l2d", (double)wide);
  TRY(show_double, "f2d", (double)(float)wide);
  printf("\n");
}

NOINLINE static void functions(double a, double b) {
  TRY(show_double, "fmod", fmod(a, b));
  TRY(show_double, "fma", fma(a, b, a));
  TRY(show_float, "fmaf", fmaf((float)a, (float)b, (float)b));
  TRY(show_double, "fmin", fmin(a, b));
  TRY(show_double, "fmax", fmax(a, b));
  TRY(show_double, "copysign", copysign(a, b));
  TRY(show_double, "sin", sin(a));
  TRY(show_double, "cos", cos(b));
  TRY(show_double, "tan", tan(b));
  TRY(show_double, "atan", atan(b));
  TRY(show_double, "exp", exp(b));
  TRY(show_double, "exp2", exp2(a));
  TRY(show_double, "log", log(a));
  TRY(show_double, "log2", log2(a));
  TRY(show_double, "log10", log10(a));
  TRY(show_double, "pow", pow(a, b));
  TRY(show_float, "powf", powf((float)a, (float)b));
  TRY(show_double, "ldexp", ldexp(a, 3));
  printf("\n");
}

/* Fused where the processor's code always is. The numbers are read from memory, because LLVM folds
   constants as if they were fused everywhere. */
NOINLINE static double multiplied_and_added(const volatile double* numbers) {
#pragma STDC FP_CONTRACT ON
  return numbers[0] * numbers[1] + numbers[2];
}

/* Nothing uses the quotient, but it raises its exceptions before those are read. */
NOINLINE static void unused(double a, double b) {
  feclearexcept(FE_ALL_EXCEPT);
  (void)(a / b);
  printf("unused:%s", raised());
  feclearexcept(FE_ALL_EXCEPT);
  (void)(a < b);
  printf(" compared:%s\n", raised());
}

/* Each operation is on its side of the calls. */
NOINLINE static void ordered(double a, double b) {
  fesetround(FE_DOWNWARD);
  const double down = a / b;
  fesetround(FE_UPWARD);
  const double up = a / b;
  fesetround(FE_TONEAREST);
  printf("down %a up %a %d\n", down, up, down < up);
  feclearexcept(FE_ALL_EXCEPT);
  const int is_less = a < b;
  const int before = fetestexcept(FE_INVALID);
  feclearexcept(FE_ALL_EXCEPT);
  const int after = fetestexcept(FE_INVALID);
  if (is_less) printf("less ");
  printf("%d %d\n", before != 0, after != 0);
}

/* The exceptions of constants are raised where the program runs. */
NOINLINE static void constants(void) {
  TRY(show_double, "third", 1.0 / 3.0);
  TRY(show_double, "zero", 1.0 / 0.0);
  TRY(show_double, "none", 0.0 / 0.0);
  TRY(show_float, "large", 3e38f * 10.0f);
  TRY(show_double, "small", 1e-300 * 1e-300);
  TRY(show_float, "narrow", (float)0.1);
  printf("\n");
}

NOINLINE static double summed(const double* numbers, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += numbers[i & 7] / 3;
  return sum;
}

static double signaling(void) {
  const uint64_t bits = 0x7ff0000000000001;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

int main(void) {
  const volatile double infinite = HUGE_VAL;
  const double none = __builtin_nan("");
  const double numbers[] = {0.0,   -0.0,   1.0,      0.1,       -2.5,     2.5,        3.5,
                            -0.75, 127.5,  255.25,   65535.75,  1e9 + .5, -3e9,       4.2e9,
                            1e18,  9.3e18, 1.2e19,   1e300,     1e-310,   5e-324,     16777217,
                            1e-40, 3.5e38, infinite, -infinite, none,     signaling()};
  enum { kCount = sizeof numbers / sizeof *numbers };
  for (int m = 0; m < 4; m++) {
    fesetround(modes[m]);
    for (int i = 0; i < kCount; i++) {
      const double a = numbers[i];
      for (int j = i % 3; j < kCount; j += 3) {
        const double b = numbers[j];
        arithmetic_double(a, b);
        arithmetic_float((float)a, (float)b);
        if (i < kCount - 2 && j < kCount - 2) arithmetic_long(a, (long double)b / 3);
      }
      roundings_double(a);
      roundings_float((float)a);
      to_integers_double(a);
      to_integers_float((float)a);
      to_integers_long((long double)a);
      conversions(a, (long double)a / 3);
    }
    for (int i = 0; i < 64; i += 3) {
      from_integers((int64_t)(0x8123456789abcdef >> i));
      from_integers((int64_t)((uint64_t)1 << i));
    }
    from_integers(0);
    from_integers(-1);
    functions(2.5, 0.75);
    functions(0.1, -1e10);
    functions(1e300, 1e10);
    constants();
    static const volatile double factors[] = {0.1, 10.0, -1.0};
    TRY(show_double, "muladd", multiplied_and_added(factors));
    printf("\n");
    TRY(show_double, "sum", summed(numbers + 2, 300000));
    printf("\n");
    fesetround(FE_TONEAREST);
    unused(1.0, 3.0);
    unused(1.0, 0.0);
    unused(none, 1.0);
    ordered(1.0, 3.0);
    ordered(none, 3.0);
  }
  return 0;
}
