#include "backend/llvm/llvm_generator.h"

#include "backend/object_identification.h"
#include "base/status.h"

namespace firstcall {

absl::StatusOr<std::unique_ptr<LlvmGenerator>> LlvmGenerator::Create(const Target& target) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ObjectEmitter> emitter, ObjectEmitter::Create(target));
  return std::make_unique<LlvmGenerator>(std::move(emitter), Generator::kLlvm);
}

absl::StatusOr<GeneratedObject> LlvmGenerator::Generate(llvm::Module& module,
                                                        const GenerationRequest& request) {
  if (request.identification) AddIdentification(module, *request.identification);
  GeneratedObject generated;
  generated.origin.generator = name_;
  FIRSTCALL_ASSIGN_OR_RETURN(generated.bytes, emitter_->Emit(module));
  return generated;
}

}  // namespace firstcall
