// Which threads are at work inside an engine: between taking a lock, or claiming a function, and
// giving it up again.
//
// fork waits until no other thread is, and lets none begin meanwhile: the child would otherwise
// have functions that nobody will ever finish, and locks that nobody will ever release. And a first
// call on a thread that is at work, and has not been handed to the client's code, comes from a
// signal handler: it must not wait for what it has interrupted.
//
// Removing a module waits in the same way, so that nobody has it in hand.
//
// Thread-safe. Scopes nest; only a thread's outermost one can wait: for a fork, for a removal, or
// for the end of the process.

#ifndef FIRSTCALL_RUNTIME_WORK_SCOPE_H_
#define FIRSTCALL_RUNTIME_WORK_SCOPE_H_

#include <cfenv>

#include "base/floating_point_environment.h"
#include "base/program_thread_state.h"

namespace firstcall {

// This thread is at work, in the compiler's floating-point environment. What the thread has in the
// C and C++ libraries, errno above all, is afterwards what it was.
class WorkScope {
 public:
  WorkScope();
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

  // To be called when the process exits, before parts of LLVM go: waits until no other thread is at
  // work, for a second at most, and from then on lets no other thread begin.
  static void KeepForThisThread();

  // Whether this thread is at work, in the client's code or not.
  static bool IsAtWork();

  // Whether what runs now has interrupted this thread's work.
  static bool IsInterrupted();

 private:
  const ProgramThreadState thread_state_;
  const CompilerFloatingPoint floating_point_;
  const bool was_in_callback_;
};

// The thread takes locks of the library's for a moment, and does not compile. Forks and removals
// wait for it, and it waits for theirs, as if it were at work. Unlike a WorkScope it can begin when
// the process exits.
class ForkScope {
 public:
  ForkScope();
  ~ForkScope();
  ForkScope(const ForkScope&) = delete;
  ForkScope& operator=(const ForkScope&) = delete;
};

// No other thread is at work: it waits for those that are, and keeps others from beginning, as fork
// does. Not to be made by a thread that is at work.
class ExclusiveWorkScope {
 public:
  ExclusiveWorkScope();
  ~ExclusiveWorkScope();
  ExclusiveWorkScope(const ExclusiveWorkScope&) = delete;
  ExclusiveWorkScope& operator=(const ExclusiveWorkScope&) = delete;

 private:
  const CompilerFloatingPoint floating_point_;
};

// This thread works for another one that waits for it inside a WorkScope. Code of the program that
// it calls runs in the floating-point environment `program` of the waiting thread (see
// LentFloatingPoint).
class DelegatedWorkScope {
 public:
  explicit DelegatedWorkScope(std::fenv_t* program);
  ~DelegatedWorkScope();
  DelegatedWorkScope(const DelegatedWorkScope&) = delete;
  DelegatedWorkScope& operator=(const DelegatedWorkScope&) = delete;

 private:
  const LentFloatingPoint floating_point_;
};

// The client's code runs: it may call compiled code. What it makes of the floating-point
// environment is undone with what the compiler does.
class CallbackScope {
 public:
  CallbackScope();
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  const bool was_in_callback_;
};

// Code of the program runs, or of the client's on its behalf: as CallbackScope, but in the
// program's floating-point environment.
class ProgramCodeScope {
 public:
  ProgramCodeScope() = default;
  ProgramCodeScope(const ProgramCodeScope&) = delete;
  ProgramCodeScope& operator=(const ProgramCodeScope&) = delete;

 private:
  const CallbackScope callback_;
  const ProgramFloatingPoint floating_point_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_WORK_SCOPE_H_
