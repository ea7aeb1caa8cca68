// What is inlined into lines.c.

#ifndef FIRSTCALL_TESTS_COMMAND_LINES_H_
#define FIRSTCALL_TESTS_COMMAND_LINES_H_

static inline __attribute__((always_inline)) long Mix(long sum, long i) {
  sum ^= i << 3;
  return sum + i;
}

#endif  // FIRSTCALL_TESTS_COMMAND_LINES_H_
