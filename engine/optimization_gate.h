// Lets optimizing end early: LLVM asks the gate of an LLVMContext before each pass that is not
// needed for a right result.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_OPTIMIZATION_GATE_H_
#define FIRSTCALL_ENGINE_OPTIMIZATION_GATE_H_

#include <atomic>
#include <functional>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/OptBisect.h"

namespace firstcall {

class OptimizationGate final : public llvm::OptPassGate {
 public:
  // From now on passes are left out. What comes out of it is right, but not worth being used.
  void Stop() { state_ = State::kStopped; }
  bool is_stopped() const { return state_ == State::kStopped; }

  // From now on a thread that asks calls `is_parked` and stays there for ever, still holding what
  // it holds: for when the process exits, because LLVM can neither be interrupted between two
  // passes nor go on when its static objects are gone. To be called once.
  void ParkForExit(std::function<void()> is_parked);

  bool isEnabled() const override;
  bool shouldRunPass(llvm::StringRef, llvm::StringRef) override { return !is_stopped(); }

 private:
  enum class State { kOpen, kStopped, kParks };
  std::atomic<State> state_{State::kOpen};
  std::function<void()> is_parked_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OPTIMIZATION_GATE_H_
