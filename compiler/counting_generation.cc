#include "compiler/counting_generation.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "backend/llvm/branch_counting.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "compiler/code_generation.h"
#include "compiler/subprograms_aside.h"
#include "object/symbol_name.h"
#include "splitter/extract_options.h"
#include "splitter/function_extractor.h"

namespace firstcall {

absl::StatusOr<CompiledObject> GenerateCounting(const OptimizationOrder& order,
                                                LoadedModule& module, bool infers,
                                                CompileContext& context, Listener& listener) {
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  FIRSTCALL_ASSIGN_OR_RETURN(IrOptimizer * optimizer, context.Optimizer());
  if (optimizer == nullptr) return absl::InternalError("the target does not optimize");
  absl::MutexLock lock(&view->mutex());
  const absl::Duration start = SteadyNow();
  std::optional<BranchCounters> counters;
  ExtractOptions options;
  options.body = ReplaceableBody{};
  options.verify = !module.source().is_verified();
  options.optnone = context.optnone();
  options.debug_info = context.kept_debug_info();
  options.optnone_ignores_debug_info = context.keeps_lines();
  options.keep_in_view = true;
  options.simplify_without_loops = true;
  // The baseline code generator refuses it, too, unless it is put aside.
  options.refuse_debug_info = !context.keeps_lines();
  // The optimizations that follow need facts, and the body is simplified here.
  options.facts = &module.facts();
  if (infers) options.infer = [&](llvm::Module& copies) { optimizer->Infer(copies); };
  options.is_far = order.is_far;
  options.annotate = [&](llvm::Function& body) {
    const std::string name = absl::StrCat(module.index().at(order.function).name, kCountsSuffix);
    counters = CountBranches(body, name);
  };
  const auto may_join = [](SymbolOrdinal) { return false; };
  const auto simplify = [&](llvm::Function& function) { optimizer->Simplify(function); };
  FIRSTCALL_ASSIGN_OR_RETURN(
      FunctionModule function_module,
      ExtractFunction(*view, module.index(), order.function, options,
                      {order.is_replaced, may_join, order.is_warm, simplify}));
  if (function_module.leader) return absl::UnimplementedError("it is inseparable from others");
  if (!counters) return absl::UnimplementedError("it has no branches or calls that can be counted");
  CompiledObject compiled;
  compiled.counters = counters;
  compiled.split = SteadyNow() - start;
  listener.OnModuleMade(*function_module.module);
  if (context.keeps_lines()) (void)SubprogramsAside(*function_module.module);
  FIRSTCALL_ASSIGN_OR_RETURN(
      GeneratedObject generated,
      GenerateBaselineCode(*function_module.module, MakeRequest(order.is_far, order.identification),
                           context));
  compiled.origin = generated.origin;
  compiled.bytes = std::move(generated.bytes);
  compiled.emit = SteadyNow() - start - compiled.split;
  return compiled;
}

}  // namespace firstcall
