// How much work a compute-bound program does: its only argument, or what takes two and a half
// to three and a half seconds in optimized code.

#ifndef FIRSTCALL_BENCHMARKS_PROGRAMS_COMPUTE_SCALE_H_
#define FIRSTCALL_BENCHMARKS_PROGRAMS_COMPUTE_SCALE_H_

#include <stdlib.h>

static inline long Scale(int argc, char** argv, long usual) {
  return argc > 1 ? atol(argv[1]) : usual;
}

#endif  // FIRSTCALL_BENCHMARKS_PROGRAMS_COMPUTE_SCALE_H_
