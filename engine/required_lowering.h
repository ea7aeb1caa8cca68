// Lowers the intrinsics that LLVM's code generator knows nothing of: those of coroutines, which
// become functions of their parts, and those of matrices. Every pipeline of LLVM does it, that of
// -O0 included; this is for modules that go through none.
//
// What it adds to a module is local to it.
//
// Thread-compatible: belongs to one compile context.

#ifndef FIRSTCALL_ENGINE_REQUIRED_LOWERING_H_
#define FIRSTCALL_ENGINE_REQUIRED_LOWERING_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/target.h"
#include "llvm/IR/Module.h"

namespace firstcall {

class RequiredLowering {
 public:
  // Errors as Target::CreateMachine.
  static absl::StatusOr<std::unique_ptr<RequiredLowering>> Create(const Target& target);

  ~RequiredLowering();
  RequiredLowering(const RequiredLowering&) = delete;
  RequiredLowering& operator=(const RequiredLowering&) = delete;

  // Whether `module` declares such intrinsics. Looks at its functions' names only.
  static bool IsNeededFor(const llvm::Module& module);

  // Lowers all of them. Internal if LLVM gave up: `module` is left in the middle then and can only
  // be leaked, and is_broken() from then on.
  absl::Status Run(llvm::Module& module);

  bool is_broken() const { return is_broken_; }

 private:
  struct Passes;
  explicit RequiredLowering(std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<Passes> passes_;
  bool is_broken_ = false;
};

// Whether `module` declares intrinsics of matrices, for which LLVM's pipelines have a pass only if
// they are told to.
bool DeclaresMatrixIntrinsics(const llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_REQUIRED_LOWERING_H_
