#include "compiler/compile_context.h"

#include <utility>

#include "backend/baseline/baseline_compiler.h"
#include "backend/llvm/llvm_generator.h"
#include "backend/mcjit/mcjit_generator.h"
#include "base/status.h"

namespace firstcall {

absl::StatusOr<CodeGenerator*> CompileContext::Generator() {
  if (generator_ != nullptr && !generator_->is_broken()) return generator_.get();
  if (target_.backend() == Backend::kMcjit) {
    FIRSTCALL_ASSIGN_OR_RETURN(generator_, CreateMcjitGenerator(target_));
  } else {
    FIRSTCALL_ASSIGN_OR_RETURN(generator_, LlvmGenerator::Create(target_));
  }
  return generator_.get();
}

absl::StatusOr<IrOptimizer*> CompileContext::Optimizer() {
  if (!target_.optimizes_ir()) return nullptr;
  if (optimizer_ == nullptr || optimizer_->is_broken()) {
    FIRSTCALL_ASSIGN_OR_RETURN(optimizer_, IrOptimizer::Create(target_));
  }
  return optimizer_.get();
}

absl::StatusOr<baseline::BaselineGenerator*> CompileContext::Baseline() {
  if (target_.baseline() == firstcall::Baseline::kOff) return nullptr;
  if (baseline_ == nullptr) {
    baseline::BaselineOptions options;
    options.features =
        target_.FeaturesAmong(baseline::BaselineCompiler::Features(target_.triple().str()));
    options.has_few_registers = target_.baseline_has_few_registers();
    options.emulates_thread_locals = target_.emulates_thread_locals();
    options.text_assembler = &assembler_;
    FIRSTCALL_ASSIGN_OR_RETURN(
        baseline_, baseline::BaselineGenerator::Create(
                       target_.triple().str(), options, [this](const llvm::Function& function) {
                         return target_.HasObstacleToBaseline(function);
                       }));
  }
  return baseline_.get();
}

absl::Status CompileContext::Lower(llvm::Module& module) {
  if (!RequiredLowering::IsNeededFor(module)) return absl::OkStatus();
  if (lowering_ == nullptr || lowering_->is_broken()) {
    FIRSTCALL_ASSIGN_OR_RETURN(lowering_, RequiredLowering::Create(target_));
  }
  return lowering_->Run(module);
}

absl::Status CompileContext::Lower(std::unique_ptr<llvm::Module>& module) {
  absl::Status status = Lower(*module);
  if (!status.ok()) (void)module.release();
  return status;
}

absl::StatusOr<ModuleView*> CompileContext::View(LoadedModule& module) {
  std::shared_ptr<ModuleView>& view = views_[module.id()];
  if (view == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<ModuleView> opened, module.OpenView());
    absl::MutexLock lock(&opened->mutex());
    FIRSTCALL_RETURN_IF_ERROR(target_.Adopt(opened->module()));
    view = std::move(opened);
  }
  return view.get();
}

void CompileContext::DropView(ModuleId module) { views_.erase(module); }

void CompileContext::StartAnew(ModuleId module) {
  // They may refer to the view's context.
  if (generator_is_broken()) generator_ = nullptr;
  if (optimizer_ != nullptr && optimizer_->is_broken()) optimizer_ = nullptr;
  DropView(module);
}

void CompileContext::SetView(ModuleId module, std::shared_ptr<ModuleView> view) {
  views_[module] = std::move(view);
}

ContextPool::Lease ContextPool::Take() {
  {
    absl::MutexLock lock(&mutex_);
    if (!idle_.empty()) {
      Lease lease(this, std::move(idle_.back()));
      idle_.pop_back();
      lease->drops_seen_ = drops_;
      return lease;
    }
  }
  auto context = std::make_unique<CompileContext>(target_);
  absl::MutexLock lock(&mutex_);
  context->drops_seen_ = drops_;
  return Lease(this, std::move(context));
}

void ContextPool::DropViews(ModuleId module) {
  absl::MutexLock lock(&mutex_);
  for (const auto& context : idle_) context->DropView(module);
  dropped_[drops_++ % kDropsKept] = module;
}

void ContextPool::Return(std::unique_ptr<CompileContext> context) {
  absl::MutexLock lock(&mutex_);
  if (drops_ - context->drops_seen_ > kDropsKept)
    return;  // Nobody knows which of its views to drop.
  for (size_t i = context->drops_seen_; i < drops_; ++i) {
    context->DropView(dropped_[i % kDropsKept]);
  }
  idle_.push_back(std::move(context));
}

}  // namespace firstcall
