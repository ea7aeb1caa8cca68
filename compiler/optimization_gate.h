// Lets optimizing end early, or leave out passes: LLVM asks the gate of an LLVMContext before each
// pass that is not needed for a right result.
//
// Thread-safe, except for LeaveOut. Tested in tests/runtime/unattended_work_test.cc and
// tests/backend/llvm/dispatcher_test.cc.

#ifndef FIRSTCALL_COMPILER_OPTIMIZATION_GATE_H_
#define FIRSTCALL_COMPILER_OPTIMIZATION_GATE_H_

#include <memory>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "seam/stop_flag.h"
#include "third_party/llvm/version/passes.h"

namespace firstcall {

class OptimizationGate final : public llvm_version::PassGate {
 public:
  // Passes are left out once `flag` is set. `stop_if_exiting` is that of OptimizationOrder.
  OptimizationGate(std::shared_ptr<StopFlag> flag, void (*stop_if_exiting)())
      : flag_(std::move(flag)), stop_if_exiting_(stop_if_exiting) {}

  bool is_stopped() const { return flag_->is_set(); }

  // Leaves out the passes with these names (llvm::Pass::getPassName) from now on. Must not be
  // called while passes run. `passes` must outlive the gate.
  void LeaveOut(llvm::ArrayRef<llvm::StringLiteral> passes) { left_out_ = passes; }

  // Does not return if `stop_if_exiting` does not.
  bool isEnabled() const override;
  bool Admits(llvm::StringRef pass) const override {
    return !is_stopped() && !llvm::is_contained(left_out_, pass);
  }

 private:
  const std::shared_ptr<StopFlag> flag_;
  void (*const stop_if_exiting_)();
  llvm::ArrayRef<llvm::StringLiteral> left_out_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_OPTIMIZATION_GATE_H_
