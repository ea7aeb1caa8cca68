// Functions that call hooks at their entry and their exits, which are told their address, also
// where they have been inlined.
#include <stdio.h>

#define UNHOOKED __attribute__((no_instrument_function))

int Square(int x);
static inline __attribute__((always_inline)) int Half(int x) { return x / 2; }
int Work(int n);
int main(void);

UNHOOKED static const char *NameOf(void *function) {
  if (function == (void *)&Square) return "Square";
  if (function == (void *)&Half) return "Half";
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
  for (int i = 0; i < n; i++) sum += Square(i) + Half(i);
  return sum;
}

int main(void) {
  printf("%d\n", Work(3));
  return 0;
}
