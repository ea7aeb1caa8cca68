// Variables of more than a gibibyte together. Found with our own programs.
#include <stdio.h>

static char left[600u << 20], right[440u << 20];

__attribute__((noinline)) static long touch(char *bytes, long size) {
  long sum = 0;
  for (long at = 0; at < size; at += 64 << 20) sum += bytes[at] += 1 + (at >> 26);
  bytes[size - 1] = 7;
  return sum;
}

int main(void) {
  const long sum = touch(left, sizeof left) + touch(right, sizeof right);
  printf("%ld %d\n", sum, left[sizeof left - 1] + right[sizeof right - 1]);
  return 0;
}
