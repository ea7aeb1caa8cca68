#include "compiler/code_generation.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "compiler/object_names.h"

namespace firstcall {
namespace {

// Refused, without a reason, if the settings turn the baseline off.
absl::StatusOr<GeneratedObject> TryBaseline(llvm::Module& module, const GenerationRequest& request,
                                            CompileContext& context, bool& is_refused) {
  is_refused = true;
  FIRSTCALL_ASSIGN_OR_RETURN(CodeGenerator * baseline, context.Baseline());
  if (baseline == nullptr) return GeneratedObject();
  absl::StatusOr<GeneratedObject> generated = baseline->Generate(module, request);
  is_refused = generated.ok() && generated->is_refused();
  return generated;
}

absl::Status NotCovered(absl::string_view refusal) {
  return absl::UnimplementedError(
      absl::StrCat("the baseline code generator does not cover it: ", refusal));
}

}  // namespace

GenerationRequest MakeRequest(bool is_far, const std::optional<Identification>& identification) {
  GenerationRequest request;
  request.is_far = is_far;
  if (identification) request.identification = &*identification;
  return request;
}

absl::StatusOr<GeneratedObject> GenerateCode(std::unique_ptr<llvm::Module> module,
                                             const CodeOrder& order, CompileContext& context) {
  bool is_refused = false;
  FIRSTCALL_ASSIGN_OR_RETURN(GeneratedObject first,
                             TryBaseline(*module, order.request, context, is_refused));
  if (!is_refused) return first;
  if (order.prepare_for_llvm) order.prepare_for_llvm();
  FIRSTCALL_ASSIGN_OR_RETURN(GeneratedObject generated,
                             GenerateCodeByLlvm(std::move(module), order, context));
  generated.origin.refusal = first.origin.refusal;
  return generated;
}

absl::StatusOr<GeneratedObject> GenerateBaselineCode(llvm::Module& module,
                                                     const GenerationRequest& request,
                                                     CompileContext& context) {
  bool is_refused = false;
  FIRSTCALL_ASSIGN_OR_RETURN(GeneratedObject generated,
                             TryBaseline(module, request, context, is_refused));
  if (is_refused) return NotCovered(generated.origin.refusal);
  return generated;
}

absl::StatusOr<GeneratedObject> GenerateCodeByLlvm(llvm::Module& module, const CodeOrder& order,
                                                   CompileContext& context) {
  FIRSTCALL_ASSIGN_OR_RETURN(CodeGenerator * generator, context.Generator());
  const std::vector<std::string> names = NamesInAttributes(module);
  FIRSTCALL_ASSIGN_OR_RETURN(GeneratedObject generated, generator->Generate(module, order.request));
  if (!order.has_assembly) {
    FIRSTCALL_RETURN_IF_ERROR(CheckNames(generated.bytes, order.index, names));
  }
  return generated;
}

absl::StatusOr<GeneratedObject> GenerateCodeByLlvm(std::unique_ptr<llvm::Module> module,
                                                   const CodeOrder& order,
                                                   CompileContext& context) {
  absl::StatusOr<GeneratedObject> generated = GenerateCodeByLlvm(*module, order, context);
  if (context.generator_is_broken()) (void)module.release();  // LLVM may still refer to it.
  return generated;
}

}  // namespace firstcall
