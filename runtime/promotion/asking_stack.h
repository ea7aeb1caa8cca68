// The hot functions that have asked the promoter, and that the promoter has not yet taken over to
// its list.
//
// Push takes no lock and no memory: it is thread-safe and async-signal-safe. Any thread may take
// functions over. Tested in tests/runtime/waiting_list_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_ASKING_STACK_H_
#define FIRSTCALL_RUNTIME_PROMOTION_ASKING_STACK_H_

#include <atomic>
#include <utility>

#include "absl/functional/function_ref.h"
#include "runtime/promotion/hot_function.h"

namespace firstcall {

class AskingStack {
 public:
  // `function` must not be on the stack already (see PromotionRequest), and must outlive it.
  void Push(HotFunction& function) {
    function.next_asking_ = top_.load(std::memory_order_relaxed);
    while (!top_.compare_exchange_weak(function.next_asking_, &function, std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
  }

  // Takes all functions off the stack, the latest first, and calls `take` with each.
  void TakeAll(absl::FunctionRef<void(HotFunction& function)> take) {
    HotFunction* function = top_.exchange(nullptr, std::memory_order_acquire);
    while (function != nullptr) take(*std::exchange(function, function->next_asking_));
  }

 private:
  std::atomic<HotFunction*> top_{nullptr};
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_ASKING_STACK_H_
