#include "compiler/data_generation.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/inline_assembly.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "compiler/baseline_generation.h"
#include "compiler/exported_symbols.h"
#include "compiler/object_identification.h"
#include "compiler/object_names.h"
#include "llvm/IR/Module.h"
#include "splitter/data_extractor.h"
#include "splitter/large_variables.h"
#include "splitter/whole_module.h"

namespace firstcall {
namespace {

absl::Status ExportAssemblySymbols(const SymbolIndex& index, ObjectBytes& object) {
  std::vector<absl::string_view> names;
  for (const AssemblySymbol& symbol : index.assembly_symbols()) names.push_back(symbol.name);
  return ExportSymbols(object, names).status();
}

}  // namespace

absl::StatusOr<CompiledObject> GenerateData(LoadedModule& module, const DataOrder& order,
                                            CompileContext& context, Listener& listener) {
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  absl::MutexLock lock(&view->mutex());
  CompiledObject compiled;
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> data,
                             ExtractData(*view, module.index(), order.is_replaced, order.is_far));
  const absl::Duration extracted = SteadyNow();
  listener.OnModuleMade(*data);
  FIRSTCALL_ASSIGN_OR_RETURN(compiled.origin,
                             GenerateBaselineCode(*data, *view, order.is_far, order.identification,
                                                  context, compiled.bytes));
  if (compiled.origin.generator != Generator::kBaseline) {
    FIRSTCALL_ASSIGN_OR_RETURN(ObjectEmitter * emitter, context.Emitter());
    compiled.origin.generator = emitter->generator();
    if (order.identification) AddIdentification(*data, *order.identification);
    const bool has_assembly = !data->getModuleInlineAsm().empty();
    FIRSTCALL_ASSIGN_OR_RETURN(compiled.bytes, emitter->Emit(std::move(data)));
    if (has_assembly) {
      FIRSTCALL_RETURN_IF_ERROR(ExportAssemblySymbols(module.index(), compiled.bytes));
    } else {
      FIRSTCALL_RETURN_IF_ERROR(CheckNames(compiled.bytes, module.index(), /*attributes=*/{}));
    }
  }
  compiled.split = extracted - start;
  compiled.emit = SteadyNow() - extracted;
  return compiled;
}

absl::StatusOr<CompiledObject> GenerateWholeModule(LoadedModule& module, const DataOrder& order,
                                                   CompileContext& context, Listener& listener) {
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectEmitter * emitter, context.Emitter());
  absl::MutexLock lock(&view->mutex());
  CompiledObject compiled;
  const absl::Duration start = SteadyNow();
  FIRSTCALL_RETURN_IF_ERROR(PrepareWholeModule(*view, module.index(),
                                               !module.source().is_verified(), order.is_replaced,
                                               order.without_ifuncs));
  FIRSTCALL_RETURN_IF_ERROR(context.Lower(view->module()));
  // The optimizer knows more of variables that nobody else can see.
  PlaceLargeVariablesApart(view->module(), module.index().largest_near_variable());
  if (order.identification) AddIdentification(view->module(), *order.identification);
  const absl::Duration prepared = SteadyNow();
  listener.OnModuleMade(view->module());
  compiled.origin.generator = emitter->generator();
  const bool has_assembly = HasInlineAssembly(view->module());
  FIRSTCALL_ASSIGN_OR_RETURN(compiled.bytes, emitter->Emit(view->module()));
  if (!has_assembly) {
    FIRSTCALL_RETURN_IF_ERROR(
        CheckNames(compiled.bytes, module.index(), NamesInAttributes(view->module())));
  }
  compiled.split = prepared - start;
  compiled.emit = SteadyNow() - prepared;
  return compiled;
}

}  // namespace firstcall
