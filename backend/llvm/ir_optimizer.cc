#include "backend/llvm/ir_optimizer.h"

#include <optional>
#include <utility>

#include "backend/llvm/analysis_managers.h"
#include "backend/llvm/dispatcher.h"
#include "backend/llvm/loop_alignment.h"
#include "backend/llvm/loop_peeling.h"
#include "backend/llvm/masked_strides.h"
#include "backend/llvm/required_lowering.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "llvm/ADT/Any.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/InferFunctionAttrs.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LowerMatrixIntrinsics.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace firstcall {

namespace {

// Whether `ir` is here only to be inlined.
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

// As clang sets them for -O2 and -O3. The default of PassBuilder leaves out the SLP vectorizer,
// which vectorizes straight-line code.
llvm::PipelineTuningOptions TuningOptions() {
  llvm::PipelineTuningOptions options;
  options.SLPVectorization = true;
  options.CallGraphProfile = false;  // For static linkers, which order functions by their calls.
  return options;
}

}  // namespace

// The order of members matters: each one is destroyed before those that it refers to.
struct IrOptimizer::Pipeline {
  explicit Pipeline(llvm::TargetMachine& machine)
      : builder(&machine, TuningOptions(), std::nullopt, &callbacks),
        level(machine.getOptLevel() == llvm::CodeGenOptLevel::Aggressive
                  ? llvm::OptimizationLevel::O3
                  : llvm::OptimizationLevel::O2) {
    opt_none.registerCallbacks(callbacks);
    callbacks.registerShouldRunOptionalPassCallback(
        [this](llvm::StringRef pass, const llvm::Any& ir) {
          const bool is_asked = gate != nullptr && gate->isEnabled();
          if (is_asked && !gate->shouldRunPass(pass, "")) return false;
          return !is_module_running || !IsImported(ir) || IsForImported(pass, ir);
        });
    callbacks.registerAfterPassCallback(
        [this](llvm::StringRef pass, const llvm::Any& ir, const llvm::PreservedAnalyses& kept) {
          if (pass == kInliner && !kept.areAllPreserved()) NoticeGrowth(ir);
        });
    // At this point LLVM itself lowers matrices if an option of the whole process asks for it.
    builder.registerVectorizerStartEPCallback(
        [this](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
          passes.addPass(LoopPeelingPass());
          passes.addPass(MaskedStridesPass());
          if (!has_matrices) return;
          passes.addPass(llvm::LowerMatrixIntrinsicsPass());
          passes.addPass(llvm::EarlyCSEPass());
        });
    builder.registerOptimizerLastEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel, auto&&...) {
          passes.addPass(llvm::createModuleToFunctionPassAdaptor(LoopAlignmentPass()));
        });
    simplification.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    simplification.addPass(llvm::EarlyCSEPass());
    simplification.addPass(llvm::SimplifyCFGPass());
    simplification.addPass(llvm::InstCombinePass());
    simplification.addPass(llvm::SimplifyCFGPass());
    llvm::CGSCCPassManager bottom_up;
    bottom_up.addPass(llvm::PostOrderFunctionAttrsPass());
    inference.addPass(llvm::InferFunctionAttrsPass());
    inference.addPass(
        llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::PreserveCFG)));
    inference.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(std::move(bottom_up)));
    analyses.Register(builder);
  }

  // Whether `pass` runs on an imported function. Its own callees are inlined into it first, as into
  // any callee. If any was inlined, the function is simplified once more: otherwise its cost would
  // be that of its calls.
  bool IsForImported(llvm::StringRef pass, const llvm::Any& ir) {
    if (pass == kInliner || pass == kPassesOfComponent) return true;
    const auto* function = llvm::any_cast<const llvm::Function*>(&ir);
    if (function == nullptr || !grown.contains(*function)) return false;
    if (pass == kLastSimplification) grown.erase(*function);
    return llvm::is_contained(kSimplifications, pass);
  }

  void NoticeGrowth(const llvm::Any& ir) {
    const auto* component = llvm::any_cast<const llvm::LazyCallGraph::SCC*>(&ir);
    if (component == nullptr || !IsImported(ir)) return;
    for (const llvm::LazyCallGraph::Node& node : **component) grown.insert(&node.getFunction());
  }

  bool TreatsAsDispatcher(const llvm::Module& module) const {
    return level == llvm::OptimizationLevel::O2 && !DeclaresMatrixIntrinsics(module) &&
           HasDispatcher(module);
  }

  // An inliner pass works only once, so the passes are made for each module.
  void Run(llvm::Module& module) {
    has_matrices = DeclaresMatrixIntrinsics(module);
    llvm::ModulePassManager passes = TreatsAsDispatcher(module)
                                         ? PassesForDispatchers()
                                         : builder.buildPerModuleDefaultPipeline(level);
    gate = &module.getContext().getOptPassGate();
    is_module_running = true;
    passes.run(module, analyses.modules);
    is_module_running = false;
    gate = nullptr;
    grown.clear();
    analyses.Clear();
  }

  // Named as in the pipeline, in its order.
  static constexpr llvm::StringLiteral kPassesOfComponent = "DevirtSCCRepeatedPass";
  static constexpr llvm::StringLiteral kInliner = "InlinerPass";
  static constexpr llvm::StringLiteral kLastSimplification = "InstCombinePass";
  static constexpr llvm::StringLiteral kSimplifications[] = {
      "SROAPass", "EarlyCSEPass", "SimplifyCFGPass", kLastSimplification};

  llvm::OptPassGate* gate = nullptr;  // Of the module that is being optimized.
  bool is_module_running = false;
  bool has_matrices = false;  // Whether the module that is being optimized has any.
  llvm::SmallPtrSet<const llvm::Function*, 16> grown;  // Imported, and grown since simplified.
  AnalysisManagers analyses;
  llvm::PassInstrumentationCallbacks callbacks;
  // Makes passes skip functions with the attribute optnone.
  llvm::OptNoneInstrumentation opt_none{/*DebugLogging=*/false};
  llvm::PassBuilder builder;
  llvm::FunctionPassManager simplification;
  // Variables become values first, or every pointer that a front end puts into a variable would
  // count as captured.
  llvm::ModulePassManager inference;
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
  (void)pipeline_.release();  // Its analyses may be inconsistent: they cannot be destroyed.
  (void)machine_.release();
}

void IrOptimizer::Simplify(llvm::Function& function) {
  is_broken_ = true;
  pipeline_->simplification.run(function, pipeline_->analyses.functions);
  pipeline_->analyses.functions.clear();
  is_broken_ = false;
}

void IrOptimizer::Infer(llvm::Module& module) {
  is_broken_ = true;
  pipeline_->inference.run(module, pipeline_->analyses.modules);
  pipeline_->analyses.Clear();
  is_broken_ = false;
}

bool IrOptimizer::TreatsAsDispatcher(const llvm::Module& module) const {
  return pipeline_->TreatsAsDispatcher(module);
}

absl::Status IrOptimizer::Optimize(std::unique_ptr<llvm::Module>& module, CpuChoice& cpu) {
  cpu.is_whole = false;
  absl::Status status = RunGuarded([&] {
    cpu.is_whole = cpu.may_be_whole && UseWholeCpu(*module, *machine_);
    pipeline_->Run(*module);
  });
  if (status.ok()) return status;
  is_broken_ = true;
  (void)module.release();
  return Annotate(status, "optimizing");
}

}  // namespace firstcall
