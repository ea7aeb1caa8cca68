// Variables in sections that a pragma chooses by their kinds, found by the sections' bounds.
#include <stdio.h>

#pragma clang section bss = "own_zeros" data = "own_data" rodata = "own_constants"
int zero[20], other_zero;
int one = 1, two = 2, many[20] = {3};
static const int eleven = 11, twelve = 12;
#pragma clang section bss = "" data = "" rodata = ""

extern int __start_own_zeros[], __stop_own_zeros[];
extern int __start_own_data[], __stop_own_data[];
extern const int __start_own_constants[], __stop_own_constants[];

static long Count(const int *begin, const int *end) { return end - begin; }

int main(void) {
  other_zero = *__start_own_data + *__start_own_constants;
  printf("%ld %ld %ld\n", Count(__start_own_zeros, __stop_own_zeros),
         Count(__start_own_data, __stop_own_data),
         Count(__start_own_constants, __stop_own_constants));
  printf("%d %d\n", __start_own_zeros[20], __start_own_data[1] + many[0] + zero[3]);
  const int *const volatile places[] = {&eleven, &twelve};
  printf("%d\n", *places[0] + *places[1] + two);
  return 0;
}
