#include "splitter/data_extractor.h"

#include "base/status.h"
#include "splitter/debug_info.h"
#include "splitter/module_atexit.h"
#include "splitter/module_skeleton.h"
#include "splitter/reference_mapper.h"

namespace firstcall {

absl::StatusOr<std::unique_ptr<llvm::Module>> ExtractData(ModuleView& view,
                                                          const SymbolIndex& index,
                                                          IsReplaced is_replaced) {
  std::unique_ptr<llvm::Module> target = MakeModuleLike(view, view.module().getModuleIdentifier());
  target->setModuleInlineAsm(view.module().getModuleInlineAsm());
  for (const AssemblySymbol& symbol : index.assembly_symbols()) {
    // A function-module that names it is another object, which a local symbol would not reach.
    if (!symbol.is_global) target->appendModuleInlineAsm(".globl " + symbol.name);
  }
  if (index.Find(kAtexit) && !index.at(*index.Find(kAtexit)).is_definition) DefineAtexit(*target);
  FIRSTCALL_RETURN_IF_ERROR(view.ReadMetadata());
  CarryDebugInfoOfVariables(view, *target);
  ReferenceMapper mapper(view, index, *target);
  std::vector<llvm::GlobalVariable*> moving;
  for (llvm::GlobalVariable& variable : view.module().globals()) {
    std::optional<SymbolOrdinal> ordinal = view.ordinal_of(variable);
    if (!ordinal || !index.at(*ordinal).is_definition || !index.GroupOf(*ordinal).empty() ||
        ReferenceMapper::IsCopied(variable, view, index) ||
        (index.at(*ordinal).is_weak && is_replaced(*ordinal))) {
      continue;
    }
    mapper.Define(variable, DeclareMoved(variable, index.at(*ordinal).name, *target));
    moving.push_back(&variable);
  }
  for (llvm::GlobalVariable* variable : moving) MoveInitializer(*variable, mapper);
  FIRSTCALL_RETURN_IF_ERROR(mapper.status());
  return target;
}

}  // namespace firstcall
