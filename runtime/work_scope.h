// Tells which threads are at work inside an engine. A thread is at work from when it takes a lock
// or claims a function until it gives that up.
//
// fork waits until no other thread is at work, and keeps others from beginning meanwhile. Otherwise
// the child would have claimed functions and held locks whose threads do not exist in the child.
//
// If a thread is at work and does not run the client's code, a first call on it comes from a signal
// handler. Such a call must not wait, because it has interrupted the work that it would wait for.
//
// Removing a module waits in the same way as fork, so that no thread uses the module.
//
// Thread-safe. Scopes nest. Only a thread's outermost scope can wait: for a fork, for a removal, or
// for the end of the process.

#ifndef FIRSTCALL_RUNTIME_WORK_SCOPE_H_
#define FIRSTCALL_RUNTIME_WORK_SCOPE_H_

#include <cfenv>
#include <functional>

#include "base/floating_point_environment.h"
#include "base/no_cancellation.h"
#include "base/program_thread_state.h"

namespace firstcall {

// While this exists, this thread is at work, in the compiler's floating-point environment. The
// destructor restores the thread's state in the C and C++ libraries, such as errno.
class WorkScope {
 public:
  // What a thread does once another thread has closed the gate for good (KeepForThisThread).
  enum class WhenOver {
    kWait,    // For the end of the process.
    kForget,  // Not to be at work: for what need not be done.
  };
  explicit WorkScope(WhenOver when_over = WhenOver::kWait);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

  // Whether this thread is at work by this scope: false only after WhenOver::kForget.
  bool is_at_work() const { return is_at_work_; }

  // To be called when the process exits, before parts of LLVM are destroyed. From now on no other
  // thread can begin to work. Waits until no other thread is at work, for a second at most.
  static void KeepForThisThread();

  // Calls KeepForThisThread when the process exits, after all other exit hooks: these may wait for
  // threads of the program, which may have to compile.
  static void KeepForThreadThatExits();

  // Whether this thread is at work. True also while the client's code runs in a CallbackScope.
  static bool IsAtWork();

  // Whether the calling code is a signal handler that has interrupted this thread's work.
  static bool IsInterrupted();

 private:
  const ProgramThreadState thread_state_;
  const CompilerFloatingPoint floating_point_;
  const bool was_in_callback_;
  bool is_at_work_ = true;
};

// For a thread that takes locks of the library for a moment and does not compile. Forks and
// removals wait for this scope, and it waits for them, like a WorkScope. Unlike a WorkScope, it can
// also begin while the process exits.
class ForkScope {
 public:
  ForkScope();
  ~ForkScope();
  ForkScope(const ForkScope&) = delete;
  ForkScope& operator=(const ForkScope&) = delete;

 private:
  const NoCancellation no_cancellation_;
};

// While this exists, no other thread is at work. Like fork, the constructor waits for the threads
// that are at work, and keeps others from beginning. A thread that is at work must not make one.
class ExclusiveWorkScope {
 public:
  ExclusiveWorkScope();
  ~ExclusiveWorkScope();
  ExclusiveWorkScope(const ExclusiveWorkScope&) = delete;
  ExclusiveWorkScope& operator=(const ExclusiveWorkScope&) = delete;

 private:
  const NoCancellation no_cancellation_;
  const CompilerFloatingPoint floating_point_;
};

// While this exists, this thread works for another thread, which waits inside a WorkScope. If this
// thread calls code of the program, that code runs in the floating-point environment `program` of
// the waiting thread (see LentFloatingPoint).
class DelegatedWorkScope {
 public:
  // A piece of work that one thread has given to another one. Guarded by the gate.
  class Order {
   public:
    Order() = default;
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;

    // Waits, on the thread that has given the order, until another thread has begun to work. A fork
    // does not wait for the one that waits here.
    void AwaitBeginning();

   private:
    friend class Gate;
    bool has_begun_ = false;
    bool is_awaited_ = false;  // The waiting thread is among those that count as blocked.
  };

  // Waits for a fork that is in progress.
  DelegatedWorkScope(std::fenv_t* program, Order& order);
  ~DelegatedWorkScope();
  DelegatedWorkScope(const DelegatedWorkScope&) = delete;
  DelegatedWorkScope& operator=(const DelegatedWorkScope&) = delete;

 private:
  const LentFloatingPoint floating_point_;
};

// Runs `action` on this thread as soon as it is not at work any more: at once, or at the end of its
// outermost scope. Actions run one after the other, in the order of the calls, also those that an
// action adds. They must not throw.
void RunAfterWork(std::function<void()> action);

// Runs the actions that wait for the end of a DelegatedWorkScope, which does not run them itself,
// because another thread waits for its work.
void RunWaitingActions();

// While this exists, the client's code runs, and may call compiled code. It runs in the compiler's
// floating-point environment; its changes to that environment are dropped with the compiler's.
class CallbackScope {
 public:
  CallbackScope();
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  const bool was_in_callback_;
};

// Like CallbackScope, for code of the program, and for code of the client that acts for the
// program: it runs in the program's floating-point environment.
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
