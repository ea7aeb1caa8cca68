#include "compiler/function_generation.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "compiler/code_generation.h"
#include "compiler/exported_symbols.h"
#include "compiler/subprograms_aside.h"
#include "splitter/extract_options.h"
#include "splitter/function_extractor.h"

namespace firstcall {
namespace {

ExtractOptions OptionsFor(const FunctionOrder& order, LoadedModule& module,
                          const IrOptimizer* optimizer, const CompileContext& context) {
  ExtractOptions options;
  options.verify = !module.source().is_verified();
  options.optnone = context.optnone();
  options.debug_info = context.kept_debug_info();
  options.optnone_ignores_debug_info = context.keeps_lines();
  options.drop_alias_metadata = !context.optimizes_code();
  options.import_callees = optimizer != nullptr;
  options.sizes = &module.sizes();
  options.list_callees = order.lists_callees;
  if (order.polls) {
    options.body = ReplaceableBody{order.polls->allowance, order.polls->asks_when_called,
                                   /*polls_in_code=*/true};
  }
  options.keep_in_view = order.polls.has_value() && !module.source().is_reopenable();
  options.is_far = order.is_far;
  options.callees_along = order.callees_along;
  options.companions = order.companions;
  return options;
}

absl::Status GenerateCode(FunctionModule function_module, const LoadedModule& module,
                          const FunctionOrder& order, CompileContext& context, Listener& listener,
                          CpuChoice& cpu, CompiledFunction& compiled) {
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(IrOptimizer * optimizer, context.Optimizer());
  if (optimizer != nullptr) {
    FIRSTCALL_RETURN_IF_ERROR(optimizer->Optimize(function_module.module, cpu));
  } else {
    FIRSTCALL_RETURN_IF_ERROR(context.Lower(function_module.module));
  }
  listener.OnModuleMade(*function_module.module);
  CodeOrder code = {MakeRequest(order.is_far, order.identification), module.index(),
                    function_module.has_inline_assembly};
  std::optional<SubprogramsAside> subprograms;
  if (context.keeps_lines()) subprograms.emplace(*function_module.module);
  if (subprograms || function_module.ir_polls) {
    code.prepare_for_llvm = [&] {
      if (subprograms) subprograms->Restore();
      if (!function_module.ir_polls) return;
      HotnessOfBodies hotness = function_module.ir_polls->Write(nullptr);
      compiled.hotness_signs = std::move(hotness.hotness_signs);
      compiled.poll_balance = hotness.poll_balance;
    };
  }
  absl::StatusOr<GeneratedObject> generated =
      context.is_strict() ? GenerateBaselineCode(*function_module.module, code.request, context)
                          : GenerateCode(std::move(function_module.module), code, context);
  FIRSTCALL_RETURN_IF_ERROR(generated.status());
  compiled.object.origin = generated->origin;
  compiled.object.bytes = std::move(generated->bytes);
  if (generated->origin.generator != Generator::kBaseline && !function_module.labels.empty()) {
    const std::vector<absl::string_view> labels(function_module.labels.begin(),
                                                function_module.labels.end());
    FIRSTCALL_ASSIGN_OR_RETURN(compiled.labels, ExportSymbols(compiled.object.bytes, labels));
  }
  compiled.object.emit = SteadyNow() - start;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompiledFunction> GenerateFunction(LoadedModule& module, const FunctionOrder& order,
                                                  CompileContext& context, Listener& listener,
                                                  CpuChoice& cpu) {
  FIRSTCALL_ASSIGN_OR_RETURN(IrOptimizer * optimizer, context.Optimizer());
  // A view gets simplified bodies, and those of other threads must not be made from that.
  // Nor could a body be made once more.
  if ((optimizer != nullptr || context.keeps_lines()) && !module.source().is_reopenable()) {
    module.source().KeepAsBitcode();
  }
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  const ExtractOptions options = OptionsFor(order, module, optimizer, context);
  const auto is_warm = [](SymbolOrdinal) { return true; };
  const auto simplify = [&](llvm::Function& function) { optimizer->Simplify(function); };
  bool has_joined = false;
  const auto may_join = [&](SymbolOrdinal function) {
    const bool joins = order.may_join(function);
    has_joined |= joins;
    return joins;
  };
  absl::MutexLock lock(&view->mutex());
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionModule function_module,
                             ExtractFunction(*view, module.index(), order.function, options,
                                             {order.is_replaced, may_join, is_warm, simplify}));
  CompiledFunction compiled;
  compiled.leader = function_module.leader;
  if (compiled.leader) return compiled;
  compiled.functions = std::move(function_module.functions);
  compiled.variables = std::move(function_module.variables);
  compiled.object.sources = std::move(function_module.sources);
  compiled.callees = std::move(function_module.callees);
  compiled.hotness_signs = std::move(function_module.hotness_signs);
  compiled.poll_balance = function_module.poll_balance;
  const absl::Duration split = SteadyNow() - start;
  const absl::Status status =
      GenerateCode(std::move(function_module), module, order, context, listener, cpu, compiled);
  if (has_joined) cpu.is_whole = false;
  FIRSTCALL_RETURN_IF_ERROR(status);
  compiled.object.split = split;
  return compiled;
}

}  // namespace firstcall
