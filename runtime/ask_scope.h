// The calling thread asks the promoter, and uses the function that a heat counter belongs to. The
// function is not freed meanwhile.
//
// Thread-safe. Making and destroying a scope is async-signal-safe.

#ifndef FIRSTCALL_RUNTIME_ASK_SCOPE_H_
#define FIRSTCALL_RUNTIME_ASK_SCOPE_H_

#include <pthread.h>

#include <atomic>
#include <thread>

namespace firstcall {

class AskScope {
 public:
  AskScope() {
    ++own_;
    ++all_;
  }
  ~AskScope() {
    --all_;
    --own_;
  }
  AskScope(const AskScope&) = delete;
  AskScope& operator=(const AskScope&) = delete;

  // Waits until each scope that was made before is destroyed. The calling thread must have none.
  static void WaitForThreads() {
    while (all_ != 0) std::this_thread::yield();
  }

  // To be called before a fork whose child may wait: the child does not have the other threads.
  static void NoticeForks() {
    static const int is_noticed =
        pthread_atfork(/*prepare=*/nullptr, /*parent=*/nullptr, [] { all_ = own_; });
    (void)is_noticed;
  }

 private:
  static inline std::atomic<int> all_{0};
  static inline thread_local int own_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_ASK_SCOPE_H_
