#include "engine/optimizing_compiler.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "engine/object_names.h"
#include "splitter/function_extractor.h"
#include "splitter/symbol_name.h"

namespace firstcall {

absl::StatusOr<OptimizingCompiler::Body> OptimizingCompiler::Compile(FunctionKey key,
                                                                     std::optional<uint32_t> loop,
                                                                     IsWarm is_warm) {
  ContextPool::Lease context = contexts_.Take();
  const int crashes = CrashesOnThisThread();
  absl::StatusOr<Body> body = CompileInContext(key, loop, is_warm, *context);
  // What cannot be copied was moved out of the view when it was optimized before, and what was
  // imported is not in it as it was.
  if (absl::IsFailedPrecondition(body.status())) {
    context->DropView(*key.module);
    body = CompileInContext(key, loop, is_warm, *context);
  }
  if (CrashesOnThisThread() != crashes) context.Replace();
  if (body.ok()) return body;
  const std::string& name = key.module->index().at(key.ordinal).name;
  absl::Status status = Annotate(body.status(), absl::StrCat("optimizing function '", name, "'"));
  // What was ended before it was done has not failed.
  if (!absl::IsCancelled(status)) {
    listener_.OnPromotionFailed({key.module->name(), name, loop.has_value(), status});
  }
  return status;
}

absl::StatusOr<OptimizingCompiler::Made> OptimizingCompiler::Make(FunctionKey key,
                                                                  std::optional<uint32_t> loop,
                                                                  IsWarm is_warm, bool is_far,
                                                                  CompileContext& context,
                                                                  PublishedObject& published) {
  SourceModule& module = *key.module;
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectEmitter * emitter, context.Emitter());
  FIRSTCALL_ASSIGN_OR_RETURN(IrOptimizer * optimizer, context.Optimizer());
  if (optimizer == nullptr) return absl::InternalError("the target does not optimize");
  ExtractOptions options;
  options.verify = !module.source().is_verified();
  options.import_callees = true;
  options.is_better_body = !loop;
  options.is_far = is_far;
  options.loop = loop;
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return module.index().at(ordinal).is_weak && resolver_.IsReplaced(module, ordinal);
  };
  const auto may_join = [](SymbolOrdinal) { return false; };
  const auto simplify = [&](llvm::Function& function) { optimizer->Simplify(function); };
  absl::MutexLock lock(&view->mutex());
  const absl::Time start = absl::Now();
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionModule function_module,
                             ExtractFunction(*view, module.index(), key.ordinal, options,
                                             {is_replaced, may_join, is_warm, simplify}));
  if (function_module.leader) return absl::UnimplementedError("it is inseparable from others");
  published.split = absl::Now() - start;
  Made made;
  made.has_inline_assembly = function_module.has_inline_assembly;
  function_module.module->getContext().setOptPassGate(gate_);
  FIRSTCALL_RETURN_IF_ERROR(optimizer->Optimize(function_module.module));
  if (gate_.is_stopped()) return absl::CancelledError("the engine goes");
  listener_.OnModuleMade(*function_module.module);
  FIRSTCALL_ASSIGN_OR_RETURN(made.bytes, emitter->Emit(std::move(function_module.module)));
  if (gate_.is_stopped()) return absl::CancelledError("the engine goes");
  published.emit = absl::Now() - start - published.split;
  return made;
}

absl::StatusOr<OptimizingCompiler::Body> OptimizingCompiler::CompileInContext(
    FunctionKey key, std::optional<uint32_t> loop, IsWarm is_warm, CompileContext& context) {
  SourceModule& module = *key.module;
  const std::string& name = module.index().at(key.ordinal).name;
  const bool is_far = linker_.IsFar(module);
  PublishedObject published;
  FIRSTCALL_ASSIGN_OR_RETURN(Made made, Make(key, loop, is_warm, is_far, context, published));
  const absl::Time start = absl::Now();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ObjectImage> image,
                             ObjectImage::Parse(made.bytes, name));
  if (!made.has_inline_assembly) FIRSTCALL_RETURN_IF_ERROR(CheckNames(*image, module.index()));
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionLinker::Linked linked,
                             linker_.Link(*image, module, name, is_far, context));
  auto found = linked.defined.find(loop ? absl::StrCat(name, kLoopSuffix) : name);
  if (found == linked.defined.end()) {
    return absl::InternalError("the optimized object does not define it");
  }
  const PublishedFunction function{name, found->second};
  published.module = module.name();
  published.functions = {&function, 1};
  published.is_promotion = true;
  published.code_bytes = linked.code_bytes;
  published.object = absl::string_view(made.bytes.data(), made.bytes.size());
  published.link = absl::Now() - start;
  listener_.OnPublished(published);
  return Body{found->second, linked.code_bytes, published.split + published.emit + published.link};
}

}  // namespace firstcall
