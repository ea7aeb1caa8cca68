// LLVM's optimization pipeline for the IR of function-modules.
//
// Thread-compatible: belongs to one compile context.

#ifndef FIRSTCALL_BACKEND_LLVM_IR_OPTIMIZER_H_
#define FIRSTCALL_BACKEND_LLVM_IR_OPTIMIZER_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/llvm/target.h"
#include "backend/llvm/whole_cpu.h"
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

  // Optimizes `module` for the target's CPU (see backend/llvm/whole_cpu.h) unless `cpu` forbids
  // that, as -O2 does, or as -O3 if that is the target's level. Sets `cpu.is_whole`, also if it
  // fails. At -O2, dispatchers get fewer passes (see backend/llvm/dispatcher.h). Bodies that are
  // `available_externally` must have been simplified; they are inlined where that pays, and
  // removed. Before each pass the gate of the module's context is asked (see llvm::OptPassGate).
  // The context must report to a diagnostic collector. Internal if LLVM gives up: then `module` is
  // leaked, because a pass may have left it inconsistent, and becomes null, and is_broken() is
  // true.
  absl::Status Optimize(std::unique_ptr<llvm::Module>& module, CpuChoice& cpu);

  // Whether Optimize treats `module` as a dispatcher's.
  bool TreatsAsDispatcher(const llvm::Module& module) const;

  // Makes the body of `function` smaller, for inlining. Changes nothing outside the body. The
  // caller must guard against LLVM's fatal errors; after one, is_broken() is true.
  void Simplify(llvm::Function& function);

  // Infers attributes of the functions that `module` defines from their bodies, which must be what
  // calls of these functions run, and simplifies the bodies no more than that: the attributes hold
  // for every body that was made from the same IR. The caller must guard against LLVM's fatal
  // errors; after one, is_broken() is true.
  void Infer(llvm::Module& module);

  bool is_broken() const { return is_broken_; }

 private:
  struct Pipeline;
  explicit IrOptimizer(std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<Pipeline> pipeline_;
  bool is_broken_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_IR_OPTIMIZER_H_
