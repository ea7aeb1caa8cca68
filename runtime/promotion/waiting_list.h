// The hot functions that wait to be served.
//
// Thread-compatible. The functions must outlive the list, or be forgotten.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_WAITING_LIST_H_
#define FIRSTCALL_RUNTIME_PROMOTION_WAITING_LIST_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "runtime/promotion/asking_stack.h"
#include "runtime/promotion/hot_function.h"

namespace firstcall {

class WaitingList {
 public:
  bool empty() const { return functions_.empty(); }

  size_t size() const { return functions_.size(); }
  absl::Span<HotFunction* const> functions() const { return functions_; }
  void Add(HotFunction& function) { functions_.push_back(&function); }

  // Adds the functions that are on the stack, and empties the stack.
  void TakeOver(AskingStack& asking) {
    asking.TakeAll([this](HotFunction& function) { Add(function); });
  }

  // Takes the most urgent function (FirstBody::Urgency) off the list among those that need not
  // wait any longer; null if there is none. Functions that are quiet, or have an optimized body,
  // come last.
  HotFunction* TakeMostUrgent(absl::FunctionRef<bool(const HotFunction& function)> must_wait);

  // Takes the functions of `module` off the list.
  void Forget(const SourceModule* module);

 private:
  std::vector<HotFunction*> functions_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_WAITING_LIST_H_
