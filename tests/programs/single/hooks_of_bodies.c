// Functions that call hooks at their entry and their exits, unless they are inlined. (Here none is,
// so that the hooks' calls do not depend on what the compiler inlines.)
#include <stdio.h>

#define UNHOOKED __attribute__((no_instrument_function))
#define CALLED __attribute__((noinline))

CALLED int Square(int x);
CALLED int Work(int n);
int main(void);

UNHOOKED static const char *NameOf(void *function) {
  if (function == (void *)&Square) return "Square";
  if (function == (void *)&Work) return "Work";
  return function == (void *)&main ? "main" : "unknown";
}

UNHOOKED void __cyg_profile_func_enter(void *function, void *caller) {
  printf("enter %s %d\n", NameOf(function), caller != NULL);
}

UNHOOKED void __cyg_profile_func_exit(void *function, void *caller) {
  printf("exit %s %d\n", NameOf(function), caller != NULL);
}

int Square(int x) { return x * x; }

int Work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += Square(i);
  return sum;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 5; i++) sum += Work(i);
  printf("%d\n", sum);
  return 0;
}
