#include "engine/program.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "engine/entry_point.h"
#include "llvm/IR/Function.h"

// Runs the exit handlers that were registered with `dso_handle` (Itanium C++ ABI, 3.3.6.3).
extern "C" void __cxa_finalize(void* dso_handle);

namespace firstcall {

ModuleId Program::NextId() {
  absl::MutexLock lock(&mutex_);
  return ModuleId{next_id_++};
}

void Program::Add(std::unique_ptr<SourceModule> module) {
  absl::MutexLock lock(&mutex_);
  modules_.push_back(std::move(module));
}

SourceModule* Program::TakeModuleToConstruct() {
  absl::MutexLock lock(&mutex_);
  if (constructed_ == modules_.size()) return nullptr;
  // Before any handler the program registers, so that destructors run after those.
  if (!exit_hook_) exit_hook_.emplace([this] { RunDestructors(); });
  SourceModule* module = modules_[constructed_++].get();
  to_destroy_.push_back(module);
  return module;
}

SourceModule* Program::TakeModuleToDestroy() {
  absl::MutexLock lock(&mutex_);
  if (to_destroy_.empty()) return nullptr;
  SourceModule* module = to_destroy_.back();
  to_destroy_.pop_back();
  return module;
}

absl::StatusOr<ExecutorAddress> Program::Prepare(SourceModule& module, SymbolOrdinal function,
                                                 FunctionCompiler::Reason reason) {
  const SymbolIndex& index = module.index();
  const Symbol& symbol = index.at(function);
  if (module.mode() == Mode::kLazy && symbol.is_definition &&
      !resolver_.IsReplaced(module, function)) {
    const SymbolOrdinal base = symbol.kind == SymbolKind::kIFunc ? function : symbol.base;
    FIRSTCALL_RETURN_IF_ERROR(compiler_.Compile({&module, base}, reason).status());
  }
  ContextPool::Lease context = contexts_.Take();
  return resolver_.AddressOf(module, function, ReferenceKind::kStub, *context);
}

absl::Status Program::RunConstructors() {
  while (SourceModule* module = TakeModuleToConstruct()) {
    for (const LifecycleFunction& constructor : module->index().constructors()) {
      FIRSTCALL_ASSIGN_OR_RETURN(
          ExecutorAddress address,
          Prepare(*module, constructor.function, FunctionCompiler::Reason::kCalled));
      address.InThisProcess<void (*)()>()();
    }
  }
  return absl::OkStatus();
}

void Program::RunDestructors() {
  DestroyConstructedModules();
  // Code that was called without constructors may have registered handlers too.
  std::vector<SourceModule*> others;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& module : modules_) others.push_back(module.get());
  }
  for (auto module = others.rbegin(); module != others.rend(); ++module) {
    __cxa_finalize((*module)->dso_handle());
  }
}

void Program::DestroyConstructedModules() {
  while (SourceModule* module = TakeModuleToDestroy()) {
    __cxa_finalize(module->dso_handle());
    for (const LifecycleFunction& destructor : module->index().destructors()) {
      // The stub, so that one that cannot be compiled goes to the failure handler.
      ContextPool::Lease context = contexts_.Take();
      absl::StatusOr<ExecutorAddress> address =
          resolver_.AddressOf(*module, destructor.function, ReferenceKind::kStub, *context);
      if (address.ok()) address->InThisProcess<void (*)()>()();
    }
  }
}

absl::StatusOr<int> Program::RunMain(absl::Span<const std::string> arguments,
                                     absl::string_view entry) {
  std::optional<Definition> found = definitions_.Find(entry);
  if (!found || found->module == nullptr) {
    return absl::NotFoundError(absl::StrCat("no module defines the entry function '", entry, "'"));
  }
  absl::StatusOr<EntryPoint> entry_point = [&]() -> absl::StatusOr<EntryPoint> {
    ContextPool::Lease context = contexts_.Take();
    FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context->View(*found->module));
    absl::MutexLock lock(&view->mutex());
    const auto* function = llvm::dyn_cast<llvm::Function>(&view->symbol(found->ordinal));
    if (function == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("entry function '", entry, "' is not a function"));
    }
    return EntryPoint::Create(*function);
  }();
  if (!entry_point.ok()) return entry_point.status();
  FIRSTCALL_RETURN_IF_ERROR(RunConstructors());
  FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress address, Prepare(*found->module, found->ordinal,
                                                              FunctionCompiler::Reason::kCalled));
  const int status = entry_point->Call(address, arguments, environ);
  ExitHook::RunBeforeOlderObjectsGo();
  return status;
}

}  // namespace firstcall
