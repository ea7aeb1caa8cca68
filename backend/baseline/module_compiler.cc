#include "backend/baseline/module_compiler.h"

#include <utility>

#include "absl/types/span.h"
#include "backend/baseline/variables.h"
#include "base/status.h"
#include "llvm/TargetParser/Triple.h"
#include "object/elf_writer.h"
#include "object/machine.h"

namespace firstcall::baseline {

absl::StatusOr<std::unique_ptr<ModuleCompiler>> ModuleCompiler::Create(
    absl::string_view triple, const BaselineOptions& options) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<BaselineCompiler> functions,
                             BaselineCompiler::Create(triple, options));
  const bool is_aarch64 = llvm::Triple(llvm::StringRef(triple.data(), triple.size())).isAArch64();
  return std::unique_ptr<ModuleCompiler>(
      new ModuleCompiler(std::move(functions), is_aarch64 ? Machine::kAArch64 : Machine::kX86_64));
}

CompiledCode& ModuleCompiler::NextPart() {
  if (part_count_ == parts_.size()) parts_.emplace_back();
  return parts_[part_count_++];
}

Refusal ModuleCompiler::Compile(const llvm::Module& module, const Options& options,
                                ObjectBytes& object) {
  if (!module.alias_empty() || !module.ifunc_empty()) return Refusal::kAlias;
  if (!module.getModuleInlineAsm().empty()) return Refusal::kInlineAssembly;
  part_count_ = 0;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) continue;
    const Refusal refusal =
        functions_->Compile(function, options.is_near, NextPart(), options.layout);
    if (refusal != Refusal::kNone) return refusal;
  }
  CompiledCode& variables = NextPart();
  if (Refusal refusal = WriteVariables(module, variables); refusal != Refusal::kNone) {
    return refusal;
  }
  if (variables.sections.empty()) --part_count_;
  object =
      WriteElfObject(absl::MakeConstSpan(parts_.data(), part_count_), machine_, options.comment);
  return Refusal::kNone;
}

}  // namespace firstcall::baseline
