// A program with debug information that takes some time, for profilers.

#include <stdint.h>

volatile uint64_t sum;

__attribute__((noinline)) uint64_t spins(uint64_t n) {
  uint64_t x = 1;
  for (uint64_t i = 0; i < n; i++) {
    x = x * 6364136223846793005u;
    x ^= i;
  }
  return x;
}

// Each has a frame, because something is left to do after the call.
__attribute__((noinline)) void calls(uint64_t n) { sum = spins(n) + 1; }

int main(void) {
  calls(200000000);
  return sum == 0;
}
