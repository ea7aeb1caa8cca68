/* Weak definitions, weak references that nobody satisfies, and aliases. */
#include <stdio.h>

__attribute__((weak)) int overridable(void) { return 1; }
extern int nobody_defines_this(void) __attribute__((weak));
extern int nor_this __attribute__((weak));
static int original(int x) { return x * 2; }
int other_name(int) __attribute__((alias("original")));
int value = 5;
extern int value_too __attribute__((alias("value")));

int main(void) {
  printf("%d %d %d %d ", overridable(), nobody_defines_this ? 1 : 0, &nor_this ? 1 : 0,
         other_name(21));
  value_too = 6;
  printf("%d %d\n", value, other_name == original);
  return 0;
}
