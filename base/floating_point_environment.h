// The floating-point environment of a thread: exception flags, traps, rounding mode (C17, 7.6).
//
// The program that an engine runs has the environment that the program has set, and sees no
// exception that it has not raised. A compiler computes with floating-point numbers, too: it needs
// the default environment, and raises exceptions. So each thread is in one of two environments, the
// program's or the compiler's, and the scopes below take it from one to the other. They nest. Each
// must end on the thread that it began on.
//
// Async-signal-safe.

#ifndef FIRSTCALL_BASE_FLOATING_POINT_ENVIRONMENT_H_
#define FIRSTCALL_BASE_FLOATING_POINT_ENVIRONMENT_H_

#include <cfenv>

namespace firstcall {

// The compiler runs on this thread. The environment is the default one; at the end of the outermost
// scope the program's comes back, whatever the compiler has made of its own.
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

// Code of the program runs inside a CompilerFloatingPoint. The environment is the program's, and
// the program keeps what that code makes of it. Outside of a CompilerFloatingPoint it changes
// nothing.
class ProgramFloatingPoint {
 public:
  ProgramFloatingPoint();
  ~ProgramFloatingPoint();
  ProgramFloatingPoint(const ProgramFloatingPoint&) = delete;
  ProgramFloatingPoint& operator=(const ProgramFloatingPoint&) = delete;

 private:
  std::fenv_t* const program_;
};

// This thread compiles for another one, which waits inside a CompilerFloatingPoint: code of the
// program that runs here has the waiting thread's environment.
class LentFloatingPoint {
 public:
  // The environment of the program whose thread this is; null outside of a CompilerFloatingPoint.
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
