// All memory is locked, then functions are called for the first time: what is reserved and not used
// must not become resident. Found with our own programs.
#include <stdio.h>
#include <sys/mman.h>

__attribute__((noinline)) static long scramble(long value) {
  for (int i = 0; i < 500; i++) value = value * 25 + i;
  return value;
}

__attribute__((noinline)) static long fold(const long *values, int count) {
  long result = 0;
  for (int i = 0; i < count; i++) result ^= scramble(values[i]);
  return result;
}

int main(void) {
  const int locked = mlockall(MCL_CURRENT | MCL_FUTURE);
  long values[40];
  for (int i = 0; i < 40; i++) values[i] = i;
  printf("%ld\n", fold(values, 40));
  return locked == 0 ? munlockall() : 0;  // Some may not lock any memory.
}
