// Lowers the intrinsics that LLVM's code generators do not support: those of coroutines, which are
// split into functions, and those of matrices. LLVM's pipelines contain such passes, even that of
// -O0; this class is for modules that go through no pipeline.
//
// The globals that it adds to a module are local.
//
// Thread-compatible: belongs to one compile context.

#ifndef FIRSTCALL_BACKEND_LLVM_REQUIRED_LOWERING_H_
#define FIRSTCALL_BACKEND_LLVM_REQUIRED_LOWERING_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/llvm/target.h"
#include "llvm/IR/Module.h"

namespace firstcall {

class RequiredLowering {
 public:
  // Errors as Target::CreateMachine.
  static absl::StatusOr<std::unique_ptr<RequiredLowering>> Create(const Target& target);

  ~RequiredLowering();
  RequiredLowering(const RequiredLowering&) = delete;
  RequiredLowering& operator=(const RequiredLowering&) = delete;

  // Whether `module` declares such intrinsics. Looks only at the names of its functions.
  static bool IsNeededFor(const llvm::Module& module);

  // Lowers them all. Internal if LLVM gives up: then `module` is inconsistent and can only be
  // leaked, and is_broken() is true.
  absl::Status Run(llvm::Module& module);

  bool is_broken() const { return is_broken_; }

 private:
  struct Passes;
  explicit RequiredLowering(std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<Passes> passes_;
  bool is_broken_ = false;
};

// Whether `module` declares matrix intrinsics. LLVM's pipelines lower these only if an option asks
// for it.
bool DeclaresMatrixIntrinsics(const llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_REQUIRED_LOWERING_H_
