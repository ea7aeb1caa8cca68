#include "runtime/process/deferred_compiler.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/process/stoppable_thread.h"

namespace firstcall {

absl::Status DeferredCompiler::MakeLocked(absl::string_view reason) {
  if (compiler_ != nullptr || !failure_.ok()) return failure_;
  absl::StatusOr<std::unique_ptr<Compiler>> compiler = factory_(reason);
  absl::Status status = compiler.status();
  for (auto waiting = waiting_.begin(); status.ok() && waiting != waiting_.end(); ++waiting) {
    status = (*compiler)->Add(waiting->second).status();
  }
  if (!status.ok()) {
    if (!MayPass(status)) failure_ = status;
    return status;
  }
  compiler_ = *std::move(compiler);
  waiting_.clear();
  reason_ = std::string(reason);
  made_after_ = SteadyNow() - start_;
  StoppableThread::SetStoppableCode(compiler_->SomewhereInLibrary());
  return absl::OkStatus();
}

absl::Status DeferredCompiler::Make(absl::string_view reason) {
  absl::MutexLock lock(&mutex_);
  return MakeLocked(reason);
}

std::string DeferredCompiler::reason() const {
  absl::MutexLock lock(&mutex_);
  return reason_;
}

absl::Duration DeferredCompiler::made_after() const {
  absl::MutexLock lock(&mutex_);
  return made_after_;
}

absl::StatusOr<Compiler*> DeferredCompiler::For(absl::string_view what, ModuleId module,
                                                std::optional<SymbolOrdinal> function) {
  absl::MutexLock lock(&mutex_);
  if (compiler_ != nullptr) return compiler_.get();
  const ModuleOrder& order = waiting_.at(module);
  std::string reason = absl::StrCat(what, " '", order.contents.name, "'");
  if (function) {
    reason = absl::StrCat(what, " '", order.index->at(*function).name, "' of '",
                          order.contents.name, "'");
  }
  FIRSTCALL_RETURN_IF_ERROR(MakeLocked(reason));
  return compiler_.get();
}

Compiler* DeferredCompiler::compiler() const {
  absl::MutexLock lock(&mutex_);
  return compiler_.get();
}

absl::StatusOr<std::shared_ptr<const SymbolIndex>> DeferredCompiler::Add(ModuleOrder order) {
  Compiler* compiler = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    if (compiler_ == nullptr && order.index != nullptr) {
      std::shared_ptr<const SymbolIndex> index = order.index;
      waiting_.emplace(order.id, std::move(order));
      return index;
    }
    FIRSTCALL_RETURN_IF_ERROR(MakeLocked(absl::StrCat("reading '", order.contents.name, "'")));
    compiler = compiler_.get();
  }
  return compiler->Add(std::move(order));
}

absl::StatusOr<CompiledFunction> DeferredCompiler::CompileFunction(const FunctionOrder& order) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * compiler, For("compiling", order.module, order.function));
  return compiler->CompileFunction(order);
}

absl::StatusOr<CompiledObject> DeferredCompiler::CompileData(const DataOrder& order) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * compiler, For("compiling the data of", order.module));
  return compiler->CompileData(order);
}

absl::StatusOr<CompiledObject> DeferredCompiler::CompileWhole(const DataOrder& order) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * compiler, For("compiling", order.module));
  return compiler->CompileWhole(order);
}

absl::StatusOr<CompiledObject> DeferredCompiler::Optimize(const OptimizationOrder& order) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * compiler, For("optimizing", order.module, order.function));
  return compiler->Optimize(order);
}

absl::StatusOr<CodeDescription> DeferredCompiler::DescribeBodies(const DescriptionOrder& order) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * compiler, For("describing", order.module));
  return compiler->DescribeBodies(order);
}

absl::StatusOr<BodyDigests> DeferredCompiler::DigestBodies(ModuleId module) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * compiler, For("reading", module));
  return compiler->DigestBodies(module);
}

absl::StatusOr<AssemblyLabels> DeferredCompiler::ReadLabels(ModuleId module) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * compiler, For("reading", module));
  return compiler->ReadLabels(module);
}

absl::StatusOr<EntryPoint> DeferredCompiler::ReadEntryPoint(ModuleId module,
                                                            SymbolOrdinal function) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * compiler, For("reading", module, function));
  return compiler->ReadEntryPoint(module, function);
}

absl::StatusOr<FunctionShape> DeferredCompiler::ReadShape(ModuleId module, SymbolOrdinal function,
                                                          bool is_last_use) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * compiler, For("reading", module, function));
  return compiler->ReadShape(module, function, is_last_use);
}

// Before there is a compiler, nothing was read, and nothing but the contents is kept.

void DeferredCompiler::ReadAgain(ModuleId module) {
  if (Compiler* made = compiler()) made->ReadAgain(module);
}

void DeferredCompiler::ForgetFunctions(ModuleId module, bool data_is_compiled) {
  if (Compiler* made = compiler()) made->ForgetFunctions(module, data_is_compiled);
}

void DeferredCompiler::Remove(ModuleId module) {
  Compiler* compiler = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    waiting_.erase(module);
    compiler = compiler_.get();
  }
  if (compiler != nullptr) compiler->Remove(module);
}

absl::StatusOr<std::unique_ptr<Linker>> DeferredCompiler::MakeLinker() {
  FIRSTCALL_RETURN_IF_ERROR(Make("linking an object"));
  return compiler()->MakeLinker();
}

const void* DeferredCompiler::SomewhereInLibrary() {
  Compiler* const made = compiler();
  return made == nullptr ? nullptr : made->SomewhereInLibrary();
}

}  // namespace firstcall
