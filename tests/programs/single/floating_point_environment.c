/* The environment is the program's: neither first calls nor loops that get hot raise exceptions in
   it or depend on it, and a trap is one of the program's own. */
#define _GNU_SOURCE
#include <fenv.h>
#include <stdio.h>

static volatile double two = 2, four = 4, three = 3;

__attribute__((noinline)) static double sum(int n) {
  double total = 0;
  for (int i = 0; i < n; i++) total += two * four;
  return total;
}

__attribute__((noinline)) static int mix(int x) {
  for (int i = 0; i < x; i++) x ^= i * 3;
  return x;
}

#if defined(__x86_64__)
__attribute__((noinline)) static int mixed_with_traps(int x) {
  for (int i = 0; i < x; i++) x ^= i * 5;
  return x;
}

__attribute__((noinline)) static int called_with_pending(int x) { return x * 7; }
#endif

__attribute__((constructor)) static void start(void) { feraiseexcept(FE_INVALID); }

static void say(const char* when) { printf("%s: %#x\n", when, fetestexcept(FE_ALL_EXCEPT)); }

int main(void) {
  say("main begins");
  feclearexcept(FE_ALL_EXCEPT);
  int mixed = mix(40);
  int raised = fetestexcept(FE_ALL_EXCEPT);
  printf("first call: %d %#x\n", mixed, raised);
  raised = 0;
  feclearexcept(FE_ALL_EXCEPT);
  double total = 0;
  for (int i = 0; i < 3000; i++) {
    total += sum(100);
    raised |= fetestexcept(FE_ALL_EXCEPT);
  }
  printf("loops: %g %#x\n", total, raised);
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
  for (int i = 0; i < 3000; i++) total += sum(10);
  printf("%.17g %d\n", two / three, fegetround() == FE_UPWARD);
  say("inexact");
  fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
  feenableexcept(FE_INEXACT | FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO);
  for (int i = 0; i < 3000; i++) mixed ^= mixed_with_traps(20);
  printf("traps: %d %#x\n", mixed, fegetexcept());
  fedisableexcept(FE_ALL_EXCEPT);
  /* Pending in the x87 unit, where no instruction of the program's takes it. */
  volatile long double third = 1 / (long double)three;
  (void)third;
  short control;
  __asm__ volatile("fnstcw %0" : "=m"(control));
  short unmasked = control & ~0x20;
  __asm__ volatile("fldcw %0" : : "m"(unmasked));
  mixed = called_with_pending(6);
  short status;
  __asm__ volatile("fnstsw %0" : "=m"(status));
  __asm__ volatile("fnclex");
  __asm__ volatile("fldcw %0" : : "m"(control));
  printf("pending: %d %d\n", mixed, (status & 0x80) != 0);
#endif
  return 0;
}
