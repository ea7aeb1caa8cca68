#include "engine/optimizing_compiler.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "code/symbol_name.h"
#include "engine/object_names.h"
#include "splitter/function_extractor.h"

namespace firstcall {
namespace {

absl::Status Ended() { return absl::CancelledError("the engine goes"); }

}  // namespace

absl::StatusOr<OptimizingCompiler::Body> OptimizingCompiler::Compile(
    FunctionKey key, std::optional<uint32_t> loop, IsWarm is_warm,
    std::shared_ptr<OptimizationGate> gate, RunPasses run_passes) {
  const Order order = {key, loop, is_warm, run_passes};
  Work work = {contexts_.Take().Release(), std::move(gate), containment_};
  const int crashes = CrashesOnThisThread();
  absl::StatusOr<Body> body = CompileInContext(order, work);
  // What cannot be copied was moved out of the view when it was optimized before, and what was
  // imported is not in it as it was.
  if (work.is_wanted && absl::IsFailedPrecondition(body.status())) {
    work.context->DropView(*key.module);
    body = CompileInContext(order, work);
  }
  if (CrashesOnThisThread() != crashes) {
    (void)work.context.release();  // Leaked, because something in it has crashed.
  } else if (work.is_wanted) {
    contexts_.Return(std::move(work.context));
  }
  if (!work.is_wanted) return absl::CancelledError("nobody wants it any more");
  if (body.ok()) return body;
  const std::string& name = key.module->index().at(key.ordinal).name;
  absl::Status status = Annotate(body.status(), absl::StrCat("optimizing function '", name, "'"));
  // What was ended before it was done has not failed.
  if (!absl::IsCancelled(status)) {
    listener_.OnPromotionFailed({key.module->name(), name, loop.has_value(), status});
  }
  return status;
}

absl::StatusOr<OptimizingCompiler::Made> OptimizingCompiler::Make(const Order& order, bool is_far,
                                                                  Work& work,
                                                                  PublishedObject& published) {
  SourceModule& module = *order.key.module;
  // What another thread has in hand may have to wait for the mutex of the first view of a module
  // given in memory.
  if (!module.source().is_reopenable()) module.source().KeepAsBitcode();
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, work.context->View(module));
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectEmitter * emitter, work.context->Emitter());
  FIRSTCALL_ASSIGN_OR_RETURN(IrOptimizer * optimizer, work.context->Optimizer());
  if (optimizer == nullptr) return absl::InternalError("the target does not optimize");
  ExtractOptions options;
  options.verify = !module.source().is_verified();
  options.import_callees = true;
  options.is_better_body = !order.loop;
  options.is_far = is_far;
  options.loop = order.loop;
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return module.index().at(ordinal).is_weak && resolver_.IsReplaced(module, ordinal);
  };
  const auto may_join = [](SymbolOrdinal) { return false; };
  const auto simplify = [&](llvm::Function& function) { optimizer->Simplify(function); };
  absl::MutexLock lock(&view->mutex());
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionModule function_module,
                             ExtractFunction(*view, module.index(), order.key.ordinal, options,
                                             {is_replaced, may_join, order.is_warm, simplify}));
  if (function_module.leader) return absl::UnimplementedError("it is inseparable from others");
  published.split = SteadyNow() - start;
  Made made;
  made.has_inline_assembly = function_module.has_inline_assembly;
  std::unique_ptr<llvm::Module>& body = function_module.module;
  const auto run = [&](absl::FunctionRef<void()> passes) {
    work.is_wanted = order.run_passes(passes);
    return work.is_wanted && !work.gate->is_stopped();
  };
  body->getContext().setOptPassGate(*work.gate);
  absl::Status status;
  if (!run([&] { status = optimizer->Optimize(body); })) return Ended();
  FIRSTCALL_RETURN_IF_ERROR(status);
  listener_.OnModuleMade(*body);
  absl::StatusOr<ObjectBytes> bytes = Ended();
  if (!run([&] { bytes = emitter->Emit(std::move(body)); })) return Ended();
  FIRSTCALL_ASSIGN_OR_RETURN(made.bytes, std::move(bytes));
  published.emit = SteadyNow() - start - published.split;
  return made;
}

absl::StatusOr<OptimizingCompiler::Body> OptimizingCompiler::CompileInContext(const Order& order,
                                                                              Work& work) {
  SourceModule& module = *order.key.module;
  const std::string& name = module.index().at(order.key.ordinal).name;
  const bool is_far = linker_.IsFar(module);
  PublishedObject published;
  FIRSTCALL_ASSIGN_OR_RETURN(Made made, Make(order, is_far, work, published));
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ObjectImage> image,
                             ObjectImage::Parse(absl::MakeSpan(made.bytes), name));
  if (!made.has_inline_assembly) FIRSTCALL_RETURN_IF_ERROR(CheckNames(*image, module.index()));
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionLinker::Linked linked,
                             linker_.Link(*image, module, name, is_far, *work.context));
  auto found = linked.defined.find(order.loop ? absl::StrCat(name, kLoopSuffix) : name);
  if (found == linked.defined.end()) {
    return absl::InternalError("the optimized object does not define it");
  }
  const PublishedFunction function{name, found->second};
  published.module = module.name();
  published.functions = {&function, 1};
  published.is_promotion = true;
  published.code_bytes = linked.code_bytes;
  published.object = made.bytes;
  published.link = SteadyNow() - start;
  listener_.OnPublished(published);
  return Body{found->second, linked.code_bytes, published.split + published.emit + published.link};
}

}  // namespace firstcall
