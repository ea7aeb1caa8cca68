#include "compiler/optimized_generation.h"

#include <optional>
#include <string>
#include <utility>

#include "backend/llvm/dispatcher.h"
#include "backend/llvm/whole_cpu.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "compiler/code_generation.h"
#include "compiler/counted_calls.h"
#include "compiler/counting_generation.h"
#include "compiler/first_body.h"
#include "compiler/inlined_callees.h"
#include "compiler/loop_exit_finder.h"
#include "compiler/optimization_gate.h"
#include "compiler/profile_annotation.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "seam/loop_exit.h"
#include "splitter/extract_options.h"
#include "splitter/function_extractor.h"
#include "splitter/osr/continuation.h"

namespace firstcall {
namespace {

absl::Status NotWanted() { return absl::CancelledError("nobody wants it any more"); }

// What one optimization owns, because it may go on when the engine has gone.
struct Work {
  ContextPool& contexts;
  std::shared_ptr<LoadedModule> module;
  std::unique_ptr<CompileContext> context;
  OptimizationGate gate;  // LLVM's context refers to it.
  std::shared_ptr<const CrashContainment> containment;
  bool infers = false;
  CpuChoice cpu;
  bool is_wanted = true;
};

// How the first body is left for the continuation with these live-ins.
absl::StatusOr<std::optional<LeavableLoop>> FindExit(const LiveIns& live_ins,
                                                     const OptimizationOrder& order, Work& work,
                                                     ModuleView& view) {
  const FirstBodyOrder first_body = {order.is_replaced, order.is_far, order.asks_when_called,
                                     /*debug_info=*/std::nullopt};
  absl::StatusOr<std::optional<LeavableLoop>> exit = FindLoopExit(
      live_ins, *order.loop, order.function, first_body, *work.module, view, *work.context);
  if (!absl::IsFailedPrecondition(exit.status())) return exit;
  // What is inseparable from something, such as a table of labels, is moved out of a view. So
  // another view has to have it.
  const ContextPool::Lease other = work.contexts.Take();
  other->DropView(work.module->id());
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * other_view, other->View(*work.module));
  {
    absl::MutexLock lock(&other_view->mutex());
    exit = FindLoopExit(live_ins, *order.loop, order.function, first_body, *work.module,
                        *other_view, *other);
  }
  other->DropView(work.module->id());
  return exit;
}

// Writes into `module` how the first body is left for the continuation that the module has.
absl::Status EmbedLoopExit(const LiveIns& live_ins, const OptimizationOrder& order, Work& work,
                           ModuleView& view, llvm::Module& module) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::optional<LeavableLoop> exit,
                             FindExit(live_ins, order, work, view));
  if (!exit) return absl::OkStatus();
  const std::string bytes = exit->Encode();
  llvm::embedBufferInModule(module, llvm::MemoryBufferRef(bytes, "exit"), kLoopExitSection);
  return absl::OkStatus();
}

absl::StatusOr<FunctionModule> Extract(const OptimizationOrder& order, Work& work, ModuleView& view,
                                       IrOptimizer& optimizer) {
  LoadedModule& module = *work.module;
  ExtractOptions options;
  LiveIns live_ins;
  if (order.loop) {
    options.body =
        ContinuationAtLoop{*order.loop, [&](llvm::Function& function, const LoopEntry& entry) {
                             live_ins = LiveInsOf(function, entry);
                           }};
  } else {
    options.body = OptimizedBody{};
  }
  options.verify = !module.source().is_verified();
  options.optnone = work.context->optnone();
  options.debug_info =
      order.keeps_debug_info ? KeptDebugInfo::kAll : work.context->kept_debug_info();
  options.optnone_ignores_debug_info = order.keeps_debug_info || work.context->keeps_lines();
  options.import_callees = true;
  options.simplify_without_loops = true;
  options.annotate = [&](llvm::Function& body) {
    AnnotateWithCounts(body, module.index(), order.counts);
  };
  const CountedCalls calls(view, module.index(), order.counts);
  options.likely_targets = [&](SymbolOrdinal caller) { return calls.TargetsOf(caller); };
  options.facts = &module.facts();
  options.sizes = &module.sizes();
  if (work.infers) options.infer = [&](llvm::Module& copies) { optimizer.Infer(copies); };
  options.is_far = order.is_far;
  const auto may_join = [](SymbolOrdinal) { return false; };
  const auto simplify = [&](llvm::Function& function) { optimizer.Simplify(function); };
  FIRSTCALL_ASSIGN_OR_RETURN(
      FunctionModule function_module,
      ExtractFunction(view, module.index(), order.function, options,
                      {order.is_replaced, may_join, order.is_warm, simplify}));
  if (function_module.leader) return absl::UnimplementedError("it is inseparable from others");
  if (order.loop) {
    FIRSTCALL_RETURN_IF_ERROR(EmbedLoopExit(live_ins, order, work, view, *function_module.module));
  }
  // After a continuation was made, because a guard gives the result of a call another name.
  calls.Guard(*function_module.module, order.loop ? nullptr : &order.function);
  return function_module;
}

absl::StatusOr<CompiledObject> GenerateIn(const OptimizationOrder& order, Work& work,
                                          Listener& listener) {
  LoadedModule& module = *work.module;
  // A module given in memory becomes bitcode first, so that each thread has a view of its own,
  // which no other one has changed, and none has to wait for the mutex of the first one.
  if (!module.source().is_reopenable()) module.source().KeepAsBitcode();
  if (order.counts_branches) {
    return GenerateCounting(order, module, work.infers, *work.context, listener);
  }
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, work.context->View(module));
  FIRSTCALL_ASSIGN_OR_RETURN(IrOptimizer * optimizer, work.context->Optimizer());
  if (optimizer == nullptr) return absl::InternalError("the target does not optimize");
  // Now, because LLVM takes locks for it, and the thread may be stopped in its passes below.
  FIRSTCALL_RETURN_IF_ERROR(work.context->Generator().status());
  absl::MutexLock lock(&view->mutex());
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionModule function_module,
                             Extract(order, work, *view, *optimizer));
  CompiledObject compiled;
  compiled.split = SteadyNow() - start;
  compiled.sources = std::move(function_module.sources);
  compiled.imported = function_module.imported;
  compiled.facts = function_module.facts;
  std::unique_ptr<llvm::Module>& body = function_module.module;
  const auto run = [&](absl::FunctionRef<void()> passes) {
    work.is_wanted = order.run_passes(passes);
    return work.is_wanted && !work.gate.is_stopped();
  };
  body->getContext().setOptPassGate(work.gate);
  const InlinedCallees callees(*body);
  if (optimizer->TreatsAsDispatcher(*body)) work.gate.LeaveOut(kPassesNotForDispatchers);
  absl::Status status;
  if (!run([&] { status = optimizer->Optimize(body, work.cpu); })) return NotWanted();
  FIRSTCALL_RETURN_IF_ERROR(status);
  compiled.optimize = SteadyNow() - start - compiled.split;
  compiled.inlined = callees.FindIn(*body);
  KeepDebugInfoOfContinuations(*body);
  listener.OnModuleMade(*body);
  const CodeOrder code = {MakeRequest(order.is_far, order.identification), module.index(),
                          function_module.has_inline_assembly};
  absl::StatusOr<GeneratedObject> generated = NotWanted();
  if (!run([&] { generated = GenerateCodeByLlvm(std::move(body), code, *work.context); })) {
    return NotWanted();
  }
  FIRSTCALL_RETURN_IF_ERROR(generated.status());
  compiled.origin = generated->origin;
  compiled.bytes = std::move(generated->bytes);
  compiled.emit = SteadyNow() - start - compiled.split;
  return compiled;
}

}  // namespace

absl::StatusOr<CompiledObject> GenerateOptimized(
    const std::shared_ptr<LoadedModule>& module, const OptimizationOrder& order, bool infers,
    ContextPool& contexts, Listener& listener,
    const std::shared_ptr<const CrashContainment>& containment) {
  Work work = {contexts,
               module,
               contexts.Take().Release(),
               OptimizationGate(order.stop, order.stop_if_exiting),
               containment,
               infers,
               CpuChoice()};
  int crashes = CrashesOnThisThread();
  absl::StatusOr<CompiledObject> compiled = GenerateIn(order, work, listener);
  // FailedPrecondition: an earlier optimization has moved the function's body out of the view. A
  // new view has it as it was.
  if (work.is_wanted && absl::IsFailedPrecondition(compiled.status())) {
    work.context->DropView(work.module->id());
    compiled = GenerateIn(order, work, listener);
  }
  // LLVM may fail to compile for the whole CPU what it compiles for the function's own.
  if (work.is_wanted && work.cpu.is_whole && !compiled.ok() && !work.gate.is_stopped()) {
    work.cpu.may_be_whole = false;
    if (CrashesOnThisThread() != crashes) {
      (void)work.context.release();  // Leaked, because something in it has crashed.
      work.context = contexts.Take().Release();
      crashes = CrashesOnThisThread();
    }
    work.context->StartAnew(work.module->id());
    compiled = GenerateIn(order, work, listener);
  }
  if (CrashesOnThisThread() != crashes) {
    (void)work.context.release();  // Leaked for the same reason.
  } else if (work.is_wanted) {
    contexts.Return(std::move(work.context));
  }
  if (!work.is_wanted) return NotWanted();
  return compiled;
}

}  // namespace firstcall
