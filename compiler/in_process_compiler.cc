#include "compiler/in_process_compiler.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/llvm/llvm_arguments.h"
#include "backend/llvm/llvm_code.h"
#include "backend/llvm/llvm_debugger_registration.h"
#include "backend/llvm/whole_cpu.h"
#include "backend/mcjit/mcjit_linker.h"
#include "base/call_once_state.h"
#include "base/status.h"
#include "compiler/body_description.h"
#include "compiler/data_generation.h"
#include "compiler/entry_point_reader.h"
#include "compiler/function_generation.h"
#include "compiler/function_shape_reader.h"
#include "compiler/label_reader.h"
#include "compiler/optimized_generation.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "splitter/data_extractor.h"
#include "splitter/symbol_index_builder.h"

namespace firstcall {
namespace {

// Leases a context to this thread for one compile. If LLVM crashes in the context, gives it up.
class ContextUse {
 public:
  explicit ContextUse(ContextPool& contexts) : context_(contexts.Take()) {}
  ~ContextUse() {
    if (CrashesOnThisThread() != crashes_) context_.Leak();
  }
  ContextUse(const ContextUse&) = delete;
  ContextUse& operator=(const ContextUse&) = delete;

  CompileContext& context() const { return *context_; }

 private:
  ContextPool::Lease context_;
  const int crashes_ = CrashesOnThisThread();
};

}  // namespace

absl::StatusOr<std::unique_ptr<InProcessCompiler>> InProcessCompiler::Create(
    const CompilerSettings& settings, Listener& listener) {
  TargetSettings target_settings = settings.target;
  FIRSTCALL_RETURN_IF_ERROR(ApplyLlvmArguments(target_settings));
  FIRSTCALL_ASSIGN_OR_RETURN(Target target, Target::Create(target_settings));
  if (settings.emulates_thread_locals) target.EmulateThreadLocals();
  if (settings.optimizes_ir) target = target.ThatOptimizes();
  return std::unique_ptr<InProcessCompiler>(
      new InProcessCompiler(settings, std::move(target), listener));
}

InProcessCompiler::InProcessCompiler(const CompilerSettings& settings, Target target,
                                     Listener& listener)
    : target_(std::move(target)),
      optimizing_target_(target_.ThatReplaces()),
      may_optimize_(settings.promotes),
      infers_(!settings.handles_failures),
      listener_(listener),
      containment_(settings.contain_crashes ? std::make_shared<const CrashContainment>() : nullptr),
      contexts_(target_),
      optimizing_contexts_(optimizing_target_),
      contexts_for_lines_(target_),
      describing_contexts_(target_),
      described_optimizing_contexts_(optimizing_target_) {
  UseLlvmsListener();
}

absl::StatusOr<std::shared_ptr<const SymbolIndex>> InProcessCompiler::Add(ModuleOrder order) {
  return AddSource(order.id, ModuleSource::FromContents(std::move(order.contents)),
                   std::move(order.index));
}

absl::StatusOr<std::shared_ptr<const SymbolIndex>> InProcessCompiler::AddSource(
    ModuleId id, std::unique_ptr<ModuleSource> source, std::shared_ptr<const SymbolIndex> index) {
  const CallOnceState call_once;
  // The first view goes to the context that compiles first: the pool hands out the context that was
  // returned last.
  std::shared_ptr<ModuleView> view;
  if (index == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(view, source->OpenView());
    absl::MutexLock lock(&view->mutex());
    const std::string where = absl::StrCat("'", source->name(), "'");
    FIRSTCALL_RETURN_IF_ERROR(Annotate(target_.Adopt(view->module()), where));
    absl::StatusOr<SymbolIndex> built = BuildSymbolIndex(*view);
    if (!built.ok()) return Annotate(built.status(), where);
    index = std::make_shared<const SymbolIndex>(*std::move(built));
  }
  auto module = std::make_shared<LoadedModule>(id, std::move(source), index);
  if (view != nullptr) contexts_.Take()->SetView(id, std::move(view));
  absl::MutexLock lock(&mutex_);
  modules_.emplace(id, std::move(module));
  return index;
}

std::shared_ptr<LoadedModule> InProcessCompiler::Find(ModuleId id) const {
  absl::MutexLock lock(&mutex_);
  return modules_.at(id);
}

absl::StatusOr<CompiledFunction> InProcessCompiler::CompileFunction(const FunctionOrder& order) {
  const CallOnceState call_once;
  const std::shared_ptr<LoadedModule> module = Find(order.module);
  CpuChoice cpu;
  absl::StatusOr<CompiledFunction> compiled;
  {
    const ContextUse use(contexts_);
    compiled = GenerateFunction(*module, order, use.context(), listener_, cpu);
  }
  if (compiled.ok() || !cpu.is_whole) return compiled;
  // LLVM may fail to compile for the whole CPU what it compiles for the function's own.
  cpu.may_be_whole = false;
  const ContextUse use(contexts_);
  use.context().StartAnew(module->id());
  return GenerateFunction(*module, order, use.context(), listener_, cpu);
}

absl::StatusOr<CompiledObject> InProcessCompiler::CompileData(const DataOrder& order) {
  const CallOnceState call_once;
  const std::shared_ptr<LoadedModule> module = Find(order.module);
  const ContextUse use(contexts_);
  return GenerateData(*module, order, use.context(), listener_);
}

absl::StatusOr<CompiledObject> InProcessCompiler::CompileWhole(const DataOrder& order) {
  const CallOnceState call_once;
  const std::shared_ptr<LoadedModule> module = Find(order.module);
  const ContextUse use(contexts_);
  return GenerateWholeModule(*module, order, use.context(), listener_);
}

absl::StatusOr<CompiledObject> InProcessCompiler::Optimize(const OptimizationOrder& order) {
  const CallOnceState call_once;
  ContextPool& contexts =
      order.keeps_debug_info ? described_optimizing_contexts_ : optimizing_contexts_;
  return GenerateOptimized(Find(order.module), order, infers_, contexts, listener_, containment_);
}

absl::StatusOr<CodeDescription> InProcessCompiler::DescribeBodies(const DescriptionOrder& order) {
  const CallOnceState call_once;
  const std::shared_ptr<LoadedModule> module = Find(order.module);
  const ContextUse use(order.wants_lines ? contexts_for_lines_ : describing_contexts_);
  absl::StatusOr<CodeDescription> description =
      DescribeBodiesOf(*module, order, target_, use.context());
  if (absl::IsInternal(description.status())) use.context().StartAnew(order.module);
  return description;
}

absl::StatusOr<BodyDigests> InProcessCompiler::DigestBodies(ModuleId id) {
  const CallOnceState call_once;
  const std::shared_ptr<LoadedModule> module = Find(id);
  absl::StatusOr<BitcodeDigests> parts;
  FIRSTCALL_RETURN_IF_ERROR(RunGuarded([&] { parts = module->source().DigestParts(); }));
  if (!parts.ok()) return parts.status();
  BitcodeDigests read = *std::move(parts);
  ContextPool::Lease context = contexts_.Take();
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context->View(*module));
  absl::MutexLock lock(&view->mutex());
  BodyDigests digests;
  digests.frame = std::move(read.frame);
  digests.bodies.resize(view->symbol_count());
  // LLVM's reader, too, knows a body's function by the body's number only.
  size_t next = 0;
  for (const llvm::Function& function : view->module()) {
    if (function.isDeclaration() && !function.isMaterializable()) continue;
    const std::optional<SymbolOrdinal> ordinal = view->ordinal_of(function);
    if (next == read.bodies.size() || !ordinal) {
      return absl::InvalidArgumentError("the number of bodies is wrong");
    }
    digests.bodies[ordinal->value] = std::move(read.bodies[next++]);
  }
  if (next != read.bodies.size()) {
    return absl::InvalidArgumentError("the number of bodies is wrong");
  }
  return digests;
}

// From a view of its own if there can be one: reading all bodies takes memory.
absl::StatusOr<AssemblyLabels> InProcessCompiler::ReadLabels(ModuleId id) {
  const CallOnceState call_once;
  const std::shared_ptr<LoadedModule> module = Find(id);
  ContextPool::Lease context = contexts_.Take();
  std::shared_ptr<ModuleView> own;
  ModuleView* view = nullptr;
  if (module->source().is_reopenable()) {
    FIRSTCALL_ASSIGN_OR_RETURN(own, module->OpenView());
    view = own.get();
  } else {
    FIRSTCALL_ASSIGN_OR_RETURN(view, context->View(*module));
  }
  absl::MutexLock lock(&view->mutex());
  if (own != nullptr) FIRSTCALL_RETURN_IF_ERROR(target_.Adopt(view->module()));
  AssemblyLabels labels;
  FIRSTCALL_RETURN_IF_ERROR(RunGuarded([&] { labels = ReadAssemblyLabels(*view); }));
  return labels;
}

absl::StatusOr<EntryPoint> InProcessCompiler::ReadEntryPoint(ModuleId id, SymbolOrdinal function) {
  const CallOnceState call_once;
  const std::shared_ptr<LoadedModule> module = Find(id);
  ContextPool::Lease context = contexts_.Take();
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context->View(*module));
  absl::MutexLock lock(&view->mutex());
  return firstcall::ReadEntryPoint(view->symbol(function));
}

absl::StatusOr<FunctionShape> InProcessCompiler::ReadShape(ModuleId id, SymbolOrdinal function,
                                                           bool is_last_use) {
  const CallOnceState call_once;
  const std::shared_ptr<LoadedModule> module = Find(id);
  ContextPool::Lease context = contexts_.Take();
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context->View(*module));
  absl::StatusOr<FunctionShape> shape = [&] {
    absl::MutexLock lock(&view->mutex());
    return ReadFunctionShape(view->symbol(function));
  }();
  if (is_last_use && module->source().is_reopenable()) context->DropView(id);
  return shape;
}

void InProcessCompiler::ForgetFunctions(ModuleId id, bool data_is_compiled) {
  const CallOnceState call_once;
  const std::shared_ptr<LoadedModule> module = Find(id);
  if (may_optimize_ && !module->source().is_reopenable()) module->source().KeepAsBitcode();
  if (!data_is_compiled && !module->source().is_reopenable()) {
    ContextPool::Lease context = contexts_.Take();
    absl::StatusOr<ModuleView*> view = context->View(*module);
    if (!view.ok()) return;
    absl::MutexLock lock(&(*view)->mutex());
    if (HasData(**view, module->index())) return;
  }
  contexts_.DropViews(id);
  module->source().ForgetFirstView();
}

void InProcessCompiler::Remove(ModuleId id) {
  const CallOnceState call_once;
  contexts_.DropViews(id);
  optimizing_contexts_.DropViews(id);
  contexts_for_lines_.DropViews(id);
  describing_contexts_.DropViews(id);
  described_optimizing_contexts_.DropViews(id);
  absl::MutexLock lock(&mutex_);
  modules_.erase(id);
}

absl::StatusOr<std::unique_ptr<Linker>> InProcessCompiler::MakeLinker() {
  const CallOnceState call_once;
  return std::make_unique<McjitLinker>(target_);
}

const void* InProcessCompiler::SomewhereInLibrary() { return SomewhereInLlvm(); }

}  // namespace firstcall
