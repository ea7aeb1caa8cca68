// While a thread has an AskScope, it may ask the promoter and use the HotFunction that a hotness
// counter belongs to: nobody frees it.
//
// Thread-safe. Making and destroying a scope is async-signal-safe.

#ifndef FIRSTCALL_RUNTIME_PROCESS_ASK_SCOPE_H_
#define FIRSTCALL_RUNTIME_PROCESS_ASK_SCOPE_H_

namespace firstcall {

class AskScope {
 public:
  AskScope();
  ~AskScope();
  AskScope(const AskScope&) = delete;
  AskScope& operator=(const AskScope&) = delete;

  // Waits, by yielding, until no thread has a scope. The calling thread must have none.
  static void WaitForThreads();

  // To be called before a fork whose child may wait: the child does not have the other threads.
  static void NoticeForks();
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_ASK_SCOPE_H_
