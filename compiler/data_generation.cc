#include "compiler/data_generation.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/inline_assembly.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "compiler/code_generation.h"
#include "compiler/exported_symbols.h"
#include "llvm/IR/Module.h"
#include "splitter/data_extractor.h"
#include "splitter/debug_info.h"
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
  if (context.kept_debug_info() != KeptDebugInfo::kAll) DropDebugInfo(*data);
  const absl::Duration extracted = SteadyNow();
  listener.OnModuleMade(*data);
  const bool has_assembly = !data->getModuleInlineAsm().empty();
  const CodeOrder code = {MakeRequest(order.is_far, order.identification), module.index(),
                          has_assembly};
  FIRSTCALL_ASSIGN_OR_RETURN(GeneratedObject generated,
                             GenerateCode(std::move(data), code, context));
  compiled.origin = generated.origin;
  compiled.bytes = std::move(generated.bytes);
  if (has_assembly) {
    FIRSTCALL_RETURN_IF_ERROR(ExportAssemblySymbols(module.index(), compiled.bytes));
  }
  compiled.split = extracted - start;
  compiled.emit = SteadyNow() - extracted;
  return compiled;
}

absl::StatusOr<CompiledObject> GenerateWholeModule(LoadedModule& module, const DataOrder& order,
                                                   CompileContext& context, Listener& listener) {
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  absl::MutexLock lock(&view->mutex());
  CompiledObject compiled;
  const absl::Duration start = SteadyNow();
  FIRSTCALL_RETURN_IF_ERROR(
      PrepareWholeModule(*view, module.index(), !module.source().is_verified(), order.is_replaced));
  if (context.kept_debug_info() != KeptDebugInfo::kAll) DropDebugInfo(view->module());
  FIRSTCALL_RETURN_IF_ERROR(context.Lower(view->module()));
  // The optimizer knows more of variables that nobody else can see.
  PlaceLargeVariablesApart(view->module(), module.index().largest_near_variable());
  const absl::Duration prepared = SteadyNow();
  listener.OnModuleMade(view->module());
  const CodeOrder code = {MakeRequest(order.is_far, order.identification), module.index(),
                          HasInlineAssembly(view->module())};
  FIRSTCALL_ASSIGN_OR_RETURN(GeneratedObject generated,
                             GenerateCodeByLlvm(view->module(), code, context));
  compiled.origin = generated.origin;
  compiled.bytes = std::move(generated.bytes);
  compiled.split = prepared - start;
  compiled.emit = SteadyNow() - prepared;
  return compiled;
}

}  // namespace firstcall
