// The functions of one file: of swift_calls.c or swift_object.c. OTHER is the other file's table.
#ifndef FIRSTCALL_TESTS_PROGRAMS_PAIR_SWIFT_FUNCTIONS_H_
#define FIRSTCALL_TESTS_PROGRAMS_PAIR_SWIFT_FUNCTIONS_H_

#include "swift_calls.h"

static SWIFT long Throws(long x, CONTEXT long* context, ERROR void** error) {
  *context += x;
  if (x % 3 == 0) {
    *error = context;
    return -1;
  }
  return x * 2;
}

// Passes on what it is thrown, and throws itself.
static SWIFT long CallsOther(long x, CONTEXT long* context, ERROR void** error) {
  long sum = 0;
  for (long i = x; i < x + 4; ++i) {
    void* caught = 0;
    const long y = OTHER.throws(i, context, &caught);
    sum = sum * 5 + (caught != 0 ? 1000 + *(long*)caught : y);
  }
  const long z = OTHER.throws(x, context, error);
  if (*error != 0) return sum;
  return sum + z;
}

static SWIFT struct four Four(long x, double y, CONTEXT long* context, ERROR void** error) {
  const struct four result = {x, (long)y, *context, x + 1};
  if (x > 4) *error = context;
  return result;
}

static SWIFT struct mixed Mixed(struct mixed in, float f) {
  const struct mixed out = {in.b, in.a + f, in.c * f, in.d + 1, (short)(in.e + 2)};
  return out;
}

static SWIFT struct large Large(long x) {
  struct large result;
  for (int i = 0; i < 6; ++i) result.values[i] = x + i;
  return result;
}

static SWIFT long Many(long a, long b, long c, long d, long e, long f, long g, double h, short i,
                       CONTEXT long* context, ERROR void** error) {
  if (i < 0) *error = context;
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + (long)(8 * h) + 9 * i + *context;
}

#endif  // FIRSTCALL_TESTS_PROGRAMS_PAIR_SWIFT_FUNCTIONS_H_
