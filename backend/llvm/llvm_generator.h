// The backends that have LLVM generate code: ObjectEmitter behind the interface that all backends
// have.
//
// Thread-compatible.

#ifndef FIRSTCALL_BACKEND_LLVM_LLVM_GENERATOR_H_
#define FIRSTCALL_BACKEND_LLVM_LLVM_GENERATOR_H_

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "backend/code_generator.h"
#include "backend/llvm/object_emitter.h"
#include "backend/llvm/target.h"
#include "seam/code_origin.h"

namespace firstcall {

class LlvmGenerator final : public CodeGenerator {
 public:
  // `name` is the generator that the objects' origin tells.
  LlvmGenerator(std::unique_ptr<ObjectEmitter> emitter, Generator name)
      : emitter_(std::move(emitter)), name_(name) {}

  // The backend `llvm`. Errors as ObjectEmitter::Create.
  static absl::StatusOr<std::unique_ptr<LlvmGenerator>> Create(const Target& target);

  // Covers everything, so it never refuses.
  absl::StatusOr<GeneratedObject> Generate(llvm::Module& module,
                                           const GenerationRequest& request) override;

  bool is_broken() const override { return emitter_->is_broken(); }

 private:
  const std::unique_ptr<ObjectEmitter> emitter_;
  const Generator name_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_LLVM_GENERATOR_H_
