#include "engine/ir_optimizer.h"

#include <optional>
#include <utility>

#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "llvm/ADT/Any.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace firstcall {

namespace {

// Whether a pass is to run on what is only there to be inlined.
bool IsImported(const llvm::Any& ir) {
  const auto is_imported = [](const llvm::Function& function) {
    return function.hasAvailableExternallyLinkage();
  };
  if (const auto* function = llvm::any_cast<const llvm::Function*>(&ir)) {
    return is_imported(**function);
  }
  if (const auto* loop = llvm::any_cast<const llvm::Loop*>(&ir)) {
    return is_imported(*(*loop)->getHeader()->getParent());
  }
  if (const auto* component = llvm::any_cast<const llvm::LazyCallGraph::SCC*>(&ir)) {
    return llvm::all_of(**component, [&](const llvm::LazyCallGraph::Node& node) {
      return is_imported(node.getFunction());
    });
  }
  return false;
}

}  // namespace

// Members are destroyed in the reverse of the order in which they refer to each other.
struct IrOptimizer::Pipeline {
  explicit Pipeline(llvm::TargetMachine& machine)
      : builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks),
        level(machine.getOptLevel() == llvm::CodeGenOptLevel::Aggressive
                  ? llvm::OptimizationLevel::O3
                  : llvm::OptimizationLevel::O2) {
    opt_none.registerCallbacks(callbacks);
    callbacks.registerShouldRunOptionalPassCallback(
        [this](llvm::StringRef pass, const llvm::Any& ir) {
          const bool is_asked = gate != nullptr && gate->isEnabled();
          return !(is_asked && !gate->shouldRunPass(pass, "")) && !IsImported(ir);
        });
    simplification.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    simplification.addPass(llvm::EarlyCSEPass());
    simplification.addPass(llvm::SimplifyCFGPass());
    simplification.addPass(llvm::InstCombinePass());
    simplification.addPass(llvm::SimplifyCFGPass());
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(call_graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, call_graphs, modules);
  }

  // The inliner's pass works once only, so passes are made for each module.
  void Run(llvm::Module& module) {
    llvm::ModulePassManager passes = builder.buildPerModuleDefaultPipeline(level);
    gate = &module.getContext().getOptPassGate();
    passes.run(module, modules);
    gate = nullptr;
    modules.clear();
    call_graphs.clear();
    functions.clear();
    loops.clear();
  }

  llvm::OptPassGate* gate = nullptr;  // Of the module that is being optimized.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  // Passes leave functions alone that are not to be optimized.
  llvm::OptNoneInstrumentation opt_none{/*DebugLogging=*/false};
  llvm::PassBuilder builder;
  llvm::FunctionPassManager simplification;
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

void IrOptimizer::Simplify(llvm::Function& function) {
  is_broken_ = true;
  pipeline_->simplification.run(function, pipeline_->functions);
  pipeline_->functions.clear();
  is_broken_ = false;
}

absl::Status IrOptimizer::Optimize(llvm::Module& module) {
  absl::Status status = RunGuarded([&] { pipeline_->Run(module); });
  if (status.ok()) return status;
  is_broken_ = true;
  return Annotate(status, "optimizing");
}

}  // namespace firstcall
