// Functions of Swift's calling convention, which both files of the program define and call: with a
// context and an error, results in several registers and in memory, arguments in registers and on
// the stack.
#ifndef FIRSTCALL_TESTS_PROGRAMS_PAIR_SWIFT_CALLS_H_
#define FIRSTCALL_TESTS_PROGRAMS_PAIR_SWIFT_CALLS_H_

#define SWIFT __attribute__((swiftcall))
#define CONTEXT __attribute__((swift_context))
#define ERROR __attribute__((swift_error_result))

struct four {
  long a, b, c, d;
};
struct mixed {
  double a, b;
  float c;
  long d;
  short e;
};
struct large {
  long values[6];
};

typedef SWIFT long throwing(long x, CONTEXT long* context, ERROR void** error);

struct functions {
  throwing* throws;
  throwing* calls_other;
  SWIFT struct four (*four)(long x, double y, CONTEXT long* context, ERROR void** error);
  SWIFT struct mixed (*mixed)(struct mixed in, float f);
  SWIFT struct large (*large)(long x);
  SWIFT long (*many)(long a, long b, long c, long d, long e, long f, long g, double h, short i,
                     CONTEXT long* context, ERROR void** error);
};

extern const struct functions in_bitcode, in_object;

#endif  // FIRSTCALL_TESTS_PROGRAMS_PAIR_SWIFT_CALLS_H_
