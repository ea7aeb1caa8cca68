// Tells which threads are at work inside an engine. A thread is at work from when it takes a lock
// or claims a function until it has given up all its locks and claims.
//
// fork waits until no other thread is at work. Until fork returns, no other thread can begin to
// work. Otherwise the child would contain claims and held locks of threads that do not exist in the
// child.
//
// Meanwhile the thread is not cancelled, and signals are held back (base/no_interruption.h). If a
// thread is at work and does not run the client's code, a first call on this thread comes from the
// handler of a signal that is not held back. Such a call must not wait: it would wait for the very
// work that the handler has interrupted.
//
// Removing a module waits in the same way as fork, so that no thread uses the module.
//
// Thread-safe. Scopes nest. Only a thread's outermost scope can wait: for a fork, for a removal, or
// for the end of the process.

#ifndef FIRSTCALL_RUNTIME_PROCESS_WORK_SCOPE_H_
#define FIRSTCALL_RUNTIME_PROCESS_WORK_SCOPE_H_

#include <cfenv>
#include <functional>

#include "base/floating_point_environment.h"
#include "base/no_interruption.h"
#include "base/program_thread_state.h"

namespace firstcall {

// While this exists, this thread is at work, in the compiler's floating-point environment. The
// destructor restores the thread's state in the C and C++ libraries, such as errno.
class WorkScope {
 public:
  // What a thread does once another thread has closed the gate for good (KeepForThisThread).
  enum class WhenOver {
    kWait,    // The thread waits for the end of the process.
    kForget,  // The thread goes on, but is not at work. For work that need not be done.
  };
  explicit WorkScope(WhenOver when_over = WhenOver::kWait);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

  // Whether this thread is at work inside this scope. False only with WhenOver::kForget, after
  // another thread has closed the gate for good.
  bool is_at_work() const { return is_at_work_; }

  // Closes the gate for good: from now on no other thread can begin to work. Waits until no other
  // thread is at work, but for a second at most. To be called when the process exits, before parts
  // of LLVM are destroyed.
  static void KeepForThisThread();

  // Has KeepForThisThread called when the process exits, after all other exit hooks. Those run
  // first because they may wait for threads of the program, which may have to compile.
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

// For a thread that takes locks of the library for a moment and does not compile. As with a
// WorkScope, forks and removals wait for the end of this scope, and the constructor waits for forks
// and removals. Unlike a WorkScope, a ForkScope can also begin while the process exits.
class ForkScope {
 public:
  ForkScope();
  ~ForkScope();
  ForkScope(const ForkScope&) = delete;
  ForkScope& operator=(const ForkScope&) = delete;

 private:
  const NoInterruption no_interruption_;
};

// While this exists, no other thread is at work. Like fork, the constructor waits for the threads
// that are at work. Until the destructor runs, no other thread can begin to work. A thread that is
// at work must not construct this scope.
class ExclusiveWorkScope {
 public:
  ExclusiveWorkScope();
  ~ExclusiveWorkScope();
  ExclusiveWorkScope(const ExclusiveWorkScope&) = delete;
  ExclusiveWorkScope& operator=(const ExclusiveWorkScope&) = delete;

 private:
  const NoInterruption no_interruption_;
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

    // Blocks the thread that has given the order until another thread has begun to carry it out. A
    // fork does not wait for a thread that is blocked here.
    void AwaitBeginning();

   private:
    friend class Gate;
    bool has_begun_ = false;
    bool is_awaited_ = false;  // The waiting thread counts as blocked.
  };

  // Waits for a fork that is in progress.
  DelegatedWorkScope(std::fenv_t* program, Order& order);
  ~DelegatedWorkScope();
  DelegatedWorkScope(const DelegatedWorkScope&) = delete;
  DelegatedWorkScope& operator=(const DelegatedWorkScope&) = delete;

 private:
  const LentFloatingPoint floating_point_;
};

// Runs `action` on this thread as soon as this thread is not at work any more: now, or at the end
// of its outermost scope, while signals are still held back. Actions run one after the other, in
// the order in which they were added. An action may add further actions. Actions must not throw.
void RunAfterWork(std::function<void()> action);

// Runs the actions that were added in a DelegatedWorkScope. The scope does not run these actions
// itself, because another thread waits for its work.
void RunWaitingActions();

// While this exists, the client's code runs, and may call compiled code. The client's code runs in
// the compiler's floating-point environment. Its changes to that environment are dropped together
// with the compiler's changes. Signals are still held back: a handler could leave the engine's work
// by siglongjmp, or stop the thread.
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

#endif  // FIRSTCALL_RUNTIME_PROCESS_WORK_SCOPE_H_
