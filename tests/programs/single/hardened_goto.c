/* Indirect branches in functions that are hardened against speculation. */
#include <stdio.h>

__attribute__((noinline)) int steps(int n) {
  static void* const targets[] = {&&one, &&ten, &&hundred};
  int sum = 0;
one:
  sum += 1;
  if (--n <= 0) goto hundred;
  goto* targets[n % 3];
ten:
  sum += 10;
  if (--n <= 0) goto hundred;
  goto* targets[n % 3];
hundred:
  sum += 100;
  if (--n <= 0) return sum;
  goto* targets[n % 3];
}

int main(void) {
  for (int i = 0; i < 50; i++) printf("%d ", steps(i));
  puts("");
  return 0;
}
