// On x86-64 the C library's functions cover both the x87 unit and MXCSR. They use no instruction
// that waits for a pending x87 exception. So if the program has unmasked an exception that is
// pending, it is neither raised here nor lost: fegetenv masks exceptions while it stores the
// environment, and fesetenv masks them before it loads one.

#include "base/floating_point_environment.h"

#include <utility>

namespace firstcall {
namespace {

// While this thread is in the compiler's environment: where the program's is saved; otherwise null.
// It is set after the environment has changed and reset before it changes back. If a signal handler
// compiles in between, it saves and restores the environment it has interrupted a second time.
thread_local std::fenv_t* programs = nullptr;

}  // namespace

CompilerFloatingPoint::CompilerFloatingPoint() : is_outermost_(programs == nullptr) {
  if (!is_outermost_) return;
  std::fegetenv(&program_);
  std::fesetenv(FE_DFL_ENV);
  programs = &program_;
}

CompilerFloatingPoint::~CompilerFloatingPoint() {
  if (!is_outermost_) return;
  programs = nullptr;
  std::fesetenv(&program_);
}

ProgramFloatingPoint::ProgramFloatingPoint() : program_(std::exchange(programs, nullptr)) {
  if (program_ != nullptr) std::fesetenv(program_);
}

ProgramFloatingPoint::~ProgramFloatingPoint() {
  if (program_ == nullptr) return;
  std::fegetenv(program_);
  std::fesetenv(FE_DFL_ENV);
  programs = program_;
}

std::fenv_t* LentFloatingPoint::OfThisThread() { return programs; }

LentFloatingPoint::LentFloatingPoint(std::fenv_t* program)
    : outer_(std::exchange(programs, program)) {
  std::fesetenv(FE_DFL_ENV);
}

LentFloatingPoint::~LentFloatingPoint() { programs = outer_; }

}  // namespace firstcall
