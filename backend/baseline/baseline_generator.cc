#include "backend/baseline/baseline_generator.h"

#include "backend/baseline/refusal.h"
#include "backend/identification_text.h"
#include "base/status.h"
#include "llvm/IR/Module.h"

namespace firstcall::baseline {

absl::StatusOr<std::unique_ptr<BaselineGenerator>> BaselineGenerator::Create(
    absl::string_view triple, const BaselineOptions& options, HasObstacle has_obstacle) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ModuleCompiler> compiler,
                             ModuleCompiler::Create(triple, options));
  return std::unique_ptr<BaselineGenerator>(
      new BaselineGenerator(std::move(compiler), std::move(has_obstacle)));
}

absl::StatusOr<GeneratedObject> BaselineGenerator::Generate(llvm::Module& module,
                                                            const GenerationRequest& request) {
  GeneratedObject generated;
  generated.origin.generator = Generator::kBaseline;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || !has_obstacle_(function)) continue;
    generated.origin.refusal = RefusalName(Refusal::kFunctionAttribute);
    return generated;
  }
  if (!reader_.Begin(module).ok()) {
    generated.origin.refusal = RefusalName(Refusal::kRepresentation);
    return generated;
  }
  ModuleCompiler::Options options;
  options.is_near = !request.is_far;
  if (request.identification) options.comment = IdentificationText(*request.identification);
  const Refusal refusal = compiler_->Compile(reader_, options, generated.bytes);
  if (refusal != Refusal::kNone) generated.origin.refusal = RefusalName(refusal);
  return generated;
}

absl::StatusOr<GeneratedObject> BaselineGenerator::GenerateWithMap(const llvm::Function& function,
                                                                   const GenerationRequest& request,
                                                                   CodeMap& map) {
  GeneratedObject generated;
  generated.origin.generator = Generator::kBaseline;
  if (has_obstacle_(function)) {
    generated.origin.refusal = RefusalName(Refusal::kFunctionAttribute);
  } else if (!reader_.Begin(*function.getParent()).ok()) {
    generated.origin.refusal = RefusalName(Refusal::kRepresentation);
  } else {
    const Refusal refusal = compiler_->CompileWithMap(
        reader_, reader_.NumberOf(function), /*is_near=*/!request.is_far, map, generated.bytes);
    if (refusal != Refusal::kNone) generated.origin.refusal = RefusalName(refusal);
  }
  return generated;
}

}  // namespace firstcall::baseline
