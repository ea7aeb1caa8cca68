// The floating-point environment of a thread: exception flags, traps, rounding mode (C17, 7.6).
//
// The program that an engine runs has the environment that the program itself has set, and sees no
// exception that it has not raised. The compiler computes with floating-point numbers, too: it
// needs the default environment, and raises exceptions. So each thread is either in the program's
// environment or in the compiler's, and the scopes below switch between the two. They nest. Each
// must end on the thread on which it began.
//
// Async-signal-safe.

#ifndef FIRSTCALL_BASE_FLOATING_POINT_ENVIRONMENT_H_
#define FIRSTCALL_BASE_FLOATING_POINT_ENVIRONMENT_H_

#include <cfenv>

namespace firstcall {

// While this exists, the compiler runs on this thread, in the default environment. The end of the
// outermost such scope restores the program's environment, and drops the compiler's changes.
class CompilerFloatingPoint {
 public:
  CompilerFloatingPoint();
  ~CompilerFloatingPoint();
  CompilerFloatingPoint(const CompilerFloatingPoint&) = delete;
  CompilerFloatingPoint& operator=(const CompilerFloatingPoint&) = delete;

 private:
  std::fenv_t program_;  // Unset if an outer scope has the program's environment.
  const bool is_outermost_;
};

// While this exists inside a CompilerFloatingPoint, code of the program runs, in the program's
// environment, and that code's changes to the environment are kept. Outside a CompilerFloatingPoint
// this has no effect.
class ProgramFloatingPoint {
 public:
  ProgramFloatingPoint();
  ~ProgramFloatingPoint();
  ProgramFloatingPoint(const ProgramFloatingPoint&) = delete;
  ProgramFloatingPoint& operator=(const ProgramFloatingPoint&) = delete;

 private:
  std::fenv_t* const program_;
};

// While this exists, this thread compiles for another thread, which waits inside a
// CompilerFloatingPoint. Code of the program that runs here has the waiting thread's environment.
class LentFloatingPoint {
 public:
  // The program's environment on this thread; null outside a CompilerFloatingPoint.
  static std::fenv_t* OfThisThread();

  // `program` is what OfThisThread returned on the waiting thread.
  explicit LentFloatingPoint(std::fenv_t* program);
  ~LentFloatingPoint();
  LentFloatingPoint(const LentFloatingPoint&) = delete;
  LentFloatingPoint& operator=(const LentFloatingPoint&) = delete;

 private:
  std::fenv_t* const outer_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_FLOATING_POINT_ENVIRONMENT_H_
