// What the programs at random instants share: many small functions, each called for the first time
// at an instant that the seed decides, and random numbers.
#pragma once

#include <stdint.h>
#include <stdlib.h>

// A random number generator (xorshift); the state is not 0.
static inline uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static inline uint32_t seed_of(int argc, char **argv) {
  return (uint32_t)(argc > 1 ? atoi(argv[1]) : 1) * 2654435761u | 1;
}

#define FUNCTION(n)                                                       \
  __attribute__((noinline)) static uint32_t function_##n(uint32_t x) {    \
    for (uint32_t i = 0; i < (n) % 7 + 1; i++) x = x * (2 * (n) + 3) + i; \
    return x ^ (x >> ((n) % 13 + 1));                                     \
  }
#define NAME(n) function_##n,
#define FOUR(m, n) m(n##0) m(n##1) m(n##2) m(n##3)
#define SIXTEEN(m, n) FOUR(m, n##1) FOUR(m, n##2) FOUR(m, n##3) FOUR(m, n##4)
#define ALL(m) SIXTEEN(m, 1) SIXTEEN(m, 2) SIXTEEN(m, 3) SIXTEEN(m, 4) SIXTEEN(m, 5) SIXTEEN(m, 6)

ALL(FUNCTION)

typedef uint32_t (*function)(uint32_t);
static const function functions[] = {ALL(NAME)};
enum { kFunctions = sizeof functions / sizeof functions[0] };

// Calls `count` of the functions, from `first` on, `times` times each; returns a sum of what they
// return.
static inline uint32_t call_some(unsigned first, unsigned count, unsigned times) {
  uint32_t sum = 0;
  for (unsigned i = first; i < first + count; i++) {
    for (unsigned time = 0; time < times; time++) sum += functions[i % kFunctions](i + time);
  }
  return sum;
}
