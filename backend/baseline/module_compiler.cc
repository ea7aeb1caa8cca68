#include "backend/baseline/module_compiler.h"

#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "backend/baseline/symbol_name.h"
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
      new ModuleCompiler(std::move(functions), MachineOf(triple), options));
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

void ModuleCompiler::CompileSome(ir::BodyReader& bodies, const Options& options,
                                 const Selection& selection, ObjectBytes& object) {
  const ir::Module& module = bodies.module();
  const absl::Span<const ir::Global> globals = module.globals();
  part_count_ = 0;
  for (uint32_t number = 0; number < globals.size(); ++number) {
    const ir::Global& global = globals[number];
    if (!global.IsFunction() || global.is_declaration() ||
        global.linkage() == ir::Linkage::kAvailableExternally || selection.is_left_out(number)) {
      continue;
    }
    Refusal refusal = Refusal::kRepresentation;
    if (bodies.Read(number, function_).ok()) {
      refusal = functions_->Compile(function_, options.is_near, NextPart());
      if (refusal != Refusal::kNone) --part_count_;
    }
    if (refusal != Refusal::kNone) selection.refuse(number, refusal);
  }
  CompiledCode& variables = NextPart();
  WriteSomeVariables(module, {ignores_debug_information_, selection.is_left_out, selection.refuse},
                     variables);
  if (variables.sections.empty()) --part_count_;
  for (uint32_t number = 0; number < globals.size(); ++number) {
    const ir::Global& global = globals[number];
    if (global.IsFunction() || global.IsVariable() ||
        global.linkage() == ir::Linkage::kAvailableExternally || selection.is_left_out(number)) {
      continue;
    }
    if (!DefineAlias(module, global)) selection.refuse(number, Refusal::kAlias);
  }
  object = WriteElfObjectForAnyLinker(absl::MakeConstSpan(parts_.data(), part_count_), machine_,
                                      options.comment);
}

// Aliases are few, so the definition is searched for.
bool ModuleCompiler::DefineAlias(const ir::Module& module, const ir::Global& alias) {
  const ir::Global* base = &alias;
  // An alias may stand for another one; none stands for itself.
  while (base->kind() == ir::GlobalKind::kAlias) {
    const ir::Constant& target = module.constant(base->initializer);
    if (!target.IsGlobal()) return false;
    base = &module.globals()[target.global];
  }
  if (base->IsThreadLocal() || base->name.empty()) return false;
  const absl::string_view name = SymbolNameOf(*base, module.layout());
  for (CompiledCode& part : absl::MakeSpan(parts_.data(), part_count_)) {
    // The first symbol of a function's part is the function's.
    const bool is_of_function = part.sections[0].kind == SectionKind::kCode;
    if (is_of_function != base->IsFunction()) continue;
    const absl::Span<const CodeSymbol> symbols = part.symbols;
    for (const CodeSymbol& symbol : is_of_function ? symbols.first(1) : symbols) {
      if (!symbol.is_defined || part.NameOf(symbol) != name) continue;
      CodeSymbol added = symbol;
      added.is_local = alias.HasLocalLinkage();
      added.is_weak = alias.IsWeakForLinker();
      added.visibility = VisibilityOf(alias);
      const absl::string_view own_name = SymbolNameOf(alias, module.layout());
      added.name = static_cast<uint32_t>(part.names.size());
      added.name_size = static_cast<uint32_t>(own_name.size());
      part.names.append(own_name.data(), own_name.size());
      part.symbols.push_back(added);
      return true;
    }
  }
  return false;
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
