#include "backend/llvm/required_lowering.h"

#include <utility>

#include "backend/llvm/analysis_managers.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"
#include "llvm/Transforms/Scalar/LowerMatrixIntrinsics.h"

namespace firstcall {
namespace {

constexpr llvm::StringLiteral kOfCoroutines = "llvm.coro.";
constexpr llvm::StringLiteral kOfMatrices = "llvm.matrix.";

bool IsNamed(const llvm::Function& function, llvm::StringRef prefix) {
  return function.isIntrinsic() && function.getName().starts_with(prefix);
}

using Globals = llvm::SmallPtrSet<const llvm::GlobalValue*, 32>;

// Erases globals that lowering added to `module` and no longer needs: the table of a coroutine's
// parts, which only the lowering reads, and parts that only the table names.
void EraseUnused(llvm::Module& module, const Globals& old) {
  const auto is_unused = [&](llvm::GlobalValue& value) {
    if (old.contains(&value) || !value.hasLocalLinkage()) return false;
    value.removeDeadConstantUsers();
    return value.use_empty();
  };
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (is_unused(variable)) variable.eraseFromParent();
  }
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (is_unused(function)) function.eraseFromParent();
  }
}

}  // namespace

// Runs the passes in the order of PassBuilder::buildO0DefaultPipeline. The order of members
// matters: each one is destroyed before those that it refers to.
struct RequiredLowering::Passes {
  explicit Passes(llvm::TargetMachine& machine) : builder(&machine) {
    pipeline.addPass(
        llvm::createModuleToFunctionPassAdaptor(llvm::LowerMatrixIntrinsicsPass(/*Minimal=*/true)));
    pipeline.addPass(llvm::CoroEarlyPass());
    pipeline.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass()));
    pipeline.addPass(llvm::CoroCleanupPass());
    analyses.Register(builder);
  }

  void Run(llvm::Module& module) {
    Globals old;
    for (const llvm::GlobalValue& value : module.global_values()) old.insert(&value);
    pipeline.run(module, analyses.modules);
    analyses.Clear();
    EraseUnused(module, old);
  }

  AnalysisManagers analyses;
  llvm::PassBuilder builder;
  llvm::ModulePassManager pipeline;
};

absl::StatusOr<std::unique_ptr<RequiredLowering>> RequiredLowering::Create(const Target& target) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, target.CreateMachine());
  return std::unique_ptr<RequiredLowering>(new RequiredLowering(std::move(machine)));
}

RequiredLowering::RequiredLowering(std::unique_ptr<llvm::TargetMachine> machine)
    : machine_(std::move(machine)), passes_(std::make_unique<Passes>(*machine_)) {}

RequiredLowering::~RequiredLowering() {
  if (!is_broken_) return;
  (void)passes_.release();  // Its analyses may be inconsistent: they cannot be destroyed.
  (void)machine_.release();
}

bool RequiredLowering::IsNeededFor(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return IsNamed(function, kOfCoroutines) || IsNamed(function, kOfMatrices);
  });
}

absl::Status RequiredLowering::Run(llvm::Module& module) {
  absl::Status status = RunGuarded([&] { passes_->Run(module); });
  if (!status.ok()) is_broken_ = true;
  return Annotate(status, "lowering coroutines and matrices");
}

bool DeclaresMatrixIntrinsics(const llvm::Module& module) {
  return llvm::any_of(
      module, [](const llvm::Function& function) { return IsNamed(function, kOfMatrices); });
}

}  // namespace firstcall
