// Lets optimizing end early: LLVM asks the gate of an LLVMContext before each pass that is not
// needed for a right result.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_OPTIMIZATION_GATE_H_
#define FIRSTCALL_ENGINE_OPTIMIZATION_GATE_H_

#include <atomic>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/OptBisect.h"

namespace firstcall {

class OptimizationGate final : public llvm::OptPassGate {
 public:
  // From now on passes are left out. What comes out of it is right, but not worth being used.
  void Stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }

  // Does not return if the process exits and the work is unattended (see UnattendedWork).
  bool isEnabled() const override;
  bool shouldRunPass(llvm::StringRef, llvm::StringRef) override { return !is_stopped(); }

 private:
  std::atomic<bool> is_stopped_{false};
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OPTIMIZATION_GATE_H_
