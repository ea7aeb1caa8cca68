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

#ifndef FIRSTCALL_ENGINE_WORK_SCOPE_H_
#define FIRSTCALL_ENGINE_WORK_SCOPE_H_

namespace firstcall {

// This thread is at work.
class WorkScope {
 public:
  WorkScope();
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

  // To be called when the process exits, before parts of LLVM go: waits until no other thread is at
  // work, for a second at most, and from then on lets no other thread begin.
  static void KeepForThisThread();

  // This thread does not count as being at work any more, and will never go on.
  static void Abandon();

  // Whether this thread is at work, in the client's code or not.
  static bool IsAtWork();

  // Whether what runs now has interrupted this thread's work.
  static bool IsInterrupted();

 private:
  const bool was_in_callback_;
};

// No other thread is at work: it waits for those that are, and keeps others from beginning, as fork
// does. Not to be made by a thread that is at work.
class ExclusiveWorkScope {
 public:
  ExclusiveWorkScope();
  ~ExclusiveWorkScope();
  ExclusiveWorkScope(const ExclusiveWorkScope&) = delete;
  ExclusiveWorkScope& operator=(const ExclusiveWorkScope&) = delete;
};

// This thread works for another one that waits for it inside a WorkScope.
class DelegatedWorkScope {
 public:
  DelegatedWorkScope();
  ~DelegatedWorkScope();
  DelegatedWorkScope(const DelegatedWorkScope&) = delete;
  DelegatedWorkScope& operator=(const DelegatedWorkScope&) = delete;
};

// The client's code runs: it may call compiled code.
class CallbackScope {
 public:
  CallbackScope();
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  const bool was_in_callback_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_WORK_SCOPE_H_
