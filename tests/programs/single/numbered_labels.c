/* Inline assembly with labels of the same number in several functions. */
#include <stdio.h>

#if defined(__aarch64__)
#define JUMP "b 1f\n nop\n"
#else
#define JUMP "jmp 1f\n nop\n"
#endif

#define FUNCTION(name, number)                \
  __attribute__((noinline)) int name(int x) { \
    __asm__ volatile(JUMP "1:\n" : "+r"(x));  \
    return x + number;                        \
  }

FUNCTION(one, 1)
FUNCTION(two, 2)
FUNCTION(three, 3)

int main(void) {
  int sum = 0;
  for (int i = 0; i < 100000; ++i) sum += one(i) ^ two(i) ^ three(i);
  printf("%d\n", sum);
  return 0;
}
