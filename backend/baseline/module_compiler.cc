#include "backend/baseline/module_compiler.h"

#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "backend/baseline/triple.h"
#include "backend/baseline/variables.h"
#include "base/status.h"
#include "ir/global.h"
#include "ir/module.h"
#include "object/elf_writer.h"

namespace firstcall::baseline {

absl::StatusOr<std::unique_ptr<ModuleCompiler>> ModuleCompiler::Create(
    absl::string_view triple, const BaselineOptions& options) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<BaselineCompiler> functions,
                             BaselineCompiler::Create(triple, options));
  return std::unique_ptr<ModuleCompiler>(
      new ModuleCompiler(std::move(functions), MachineOf(triple), options.emulates_thread_locals));
}

CompiledCode& ModuleCompiler::NextPart() {
  if (part_count_ == parts_.size()) parts_.emplace_back();
  return parts_[part_count_++];
}

Refusal ModuleCompiler::CompileFunctions(ir::BodyReader& bodies, bool is_near) {
  const absl::Span<const ir::Global> globals = bodies.module().globals();
  for (uint32_t number = 0; number < globals.size(); ++number) {
    const ir::Global& global = globals[number];
    if (!global.IsFunction() || global.is_declaration() ||
        global.linkage() == ir::Linkage::kAvailableExternally) {
      continue;
    }
    if (!bodies.Read(number, function_).ok()) return Refusal::kRepresentation;
    const Refusal refusal = functions_->Compile(function_, is_near, NextPart());
    if (refusal != Refusal::kNone) return refusal;
  }
  return Refusal::kNone;
}

Refusal ModuleCompiler::Compile(ir::BodyReader& bodies, const Options& options,
                                ObjectBytes& object) {
  const ir::Module& module = bodies.module();
  for (const ir::Global& global : module.globals()) {
    if (!global.IsFunction() && !global.IsVariable()) return Refusal::kAlias;
  }
  if (module.has_assembly()) return Refusal::kInlineAssembly;
  part_count_ = 0;
  if (Refusal refusal = CompileFunctions(bodies, options.is_near); refusal != Refusal::kNone) {
    return refusal;
  }
  CompiledCode& variables = NextPart();
  if (Refusal refusal = WriteVariables(module, emulates_thread_locals_, variables);
      refusal != Refusal::kNone) {
    return refusal;
  }
  if (variables.sections.empty()) --part_count_;
  object =
      WriteElfObject(absl::MakeConstSpan(parts_.data(), part_count_), machine_, options.comment);
  return Refusal::kNone;
}

Refusal ModuleCompiler::CompileWithMap(ir::BodyReader& bodies, uint32_t function, bool is_near,
                                       CodeMap& map, ObjectBytes& object) {
  if (!bodies.Read(function, function_).ok()) return Refusal::kRepresentation;
  const size_t instructions = function_.instructions.size();
  part_count_ = 0;
  CompiledCode& part = NextPart();
  const Refusal refusal = functions_->Compile(function_, is_near, part, &map);
  if (refusal != Refusal::kNone) return refusal;
  const bool has_more = function_.instructions.size() != instructions;
  if (has_more && map.loop == ir::kNone) return Refusal::kRepresentation;
  object = WriteElfObject(absl::MakeConstSpan(&part, 1), machine_, /*comment=*/"");
  return Refusal::kNone;
}

}  // namespace firstcall::baseline
