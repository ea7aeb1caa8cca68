#include "engine/ir_optimizer.h"

#include <optional>
#include <utility>

#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"

namespace firstcall {

// Members are destroyed in the reverse of the order in which they refer to each other.
struct IrOptimizer::Pipeline {
  explicit Pipeline(llvm::TargetMachine& machine)
      : builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks),
        level(machine.getOptLevel() == llvm::CodeGenOptLevel::Aggressive
                  ? llvm::OptimizationLevel::O3
                  : llvm::OptimizationLevel::O2) {
    opt_none.registerCallbacks(callbacks);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(call_graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, call_graphs, modules);
  }

  // The inliner's pass works once only, so passes are made for each module.
  void Run(llvm::Module& module) {
    llvm::ModulePassManager passes = builder.buildPerModuleDefaultPipeline(level);
    passes.run(module, modules);
    modules.clear();
    call_graphs.clear();
    functions.clear();
    loops.clear();
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  // Passes leave functions alone that are not to be optimized.
  llvm::OptNoneInstrumentation opt_none{/*DebugLogging=*/false};
  llvm::PassBuilder builder;
  llvm::OptimizationLevel level;
};

absl::StatusOr<std::unique_ptr<IrOptimizer>> IrOptimizer::Create(const Target& target) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, target.CreateMachine());
  return std::unique_ptr<IrOptimizer>(new IrOptimizer(std::move(machine)));
}

IrOptimizer::IrOptimizer(std::unique_ptr<llvm::TargetMachine> machine)
    : machine_(std::move(machine)), pipeline_(std::make_unique<Pipeline>(*machine_)) {}

IrOptimizer::~IrOptimizer() {
  if (!is_broken_) return;
  (void)pipeline_.release();  // Left in the middle of a module: its analyses cannot be destroyed.
  (void)machine_.release();
}

absl::Status IrOptimizer::Optimize(llvm::Module& module) {
  absl::Status status = RunGuarded([&] { pipeline_->Run(module); });
  if (status.ok()) return status;
  is_broken_ = true;
  return Annotate(status, "optimizing");
}

}  // namespace firstcall
