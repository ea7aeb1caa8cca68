// LLVM's optimization pipeline for the IR of function-modules.
//
// Thread-compatible: belongs to one compile context.

#ifndef FIRSTCALL_ENGINE_IR_OPTIMIZER_H_
#define FIRSTCALL_ENGINE_IR_OPTIMIZER_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/target.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {

class IrOptimizer {
 public:
  // Errors as Target::CreateMachine.
  static absl::StatusOr<std::unique_ptr<IrOptimizer>> Create(const Target& target);

  ~IrOptimizer();
  IrOptimizer(const IrOptimizer&) = delete;
  IrOptimizer& operator=(const IrOptimizer&) = delete;

  // Optimizes `module` as -O2 does (as -O3 if the target's level is that), for the target's CPU.
  // Bodies that are `available_externally`, which must be simplified, are inlined where that pays
  // and are gone afterwards.
  // Asks the gate of its context before each pass (see llvm::OptPassGate).
  // Its context must report to a diagnostic collector. Internal if LLVM gave up: `module` is null
  // then, and leaked, because it was left in the middle; and is_broken() from then on.
  absl::Status Optimize(std::unique_ptr<llvm::Module>& module);

  // Makes the body of `function` smaller, for inlining, and changes nothing outside of it. For a
  // caller that guards against fatal errors itself: is_broken() after one.
  void Simplify(llvm::Function& function);

  bool is_broken() const { return is_broken_; }

 private:
  struct Pipeline;
  explicit IrOptimizer(std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<Pipeline> pipeline_;
  bool is_broken_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_IR_OPTIMIZER_H_
