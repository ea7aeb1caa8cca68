#include "compiler/baseline_generation.h"

#include "base/status.h"
#include "baseline/module_compiler.h"
#include "baseline/refusal.h"
#include "compiler/object_identification.h"

namespace firstcall {

absl::StatusOr<CodeOrigin> GenerateBaselineCode(const llvm::Module& module, const ModuleView& view,
                                                bool is_far,
                                                const std::optional<Identification>& identification,
                                                CompileContext& context, ObjectBytes& object) {
  CodeOrigin origin;
  FIRSTCALL_ASSIGN_OR_RETURN(baseline::ModuleCompiler * compiler, context.Baseline());
  if (compiler == nullptr) return origin;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || !context.HasObstacleToBaseline(function)) continue;
    origin.refusal = baseline::RefusalName(baseline::Refusal::kFunctionAttribute);
    return origin;
  }
  baseline::ModuleCompiler::Options options;
  options.is_near = !is_far;
  const llvm::DataLayout& layout = view.module().getDataLayout();
  if (layout == module.getDataLayout()) options.layout = &layout;
  if (identification) options.comment = IdentificationText(*identification);
  const baseline::Refusal refusal = compiler->Compile(module, options, object);
  if (refusal == baseline::Refusal::kNone) {
    origin.generator = Generator::kBaseline;
  } else {
    origin.refusal = baseline::RefusalName(refusal);
  }
  return origin;
}

}  // namespace firstcall
