#include "backend/llvm/dispatcher.h"

#include <cstddef>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/IPO/ElimAvailExtern.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/InferFunctionAttrs.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace firstcall {
namespace {

// Before any pass, the interpreter of Lua has 8,900 instructions, and that of SQLite 13,600.
constexpr size_t kLeastInstructions = 3000;

// Lua has 83 operations, SQLite 190.
constexpr unsigned kLeastWays = 48;

// As in LLVM's own pipelines.
constexpr unsigned kMostDevirtualizations = 4;

llvm::FunctionPassManager Simplification() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

}  // namespace

bool IsDispatcher(const llvm::Function& function) {
  const bool has_ways = llvm::any_of(function, [](const llvm::BasicBlock& block) {
    const llvm::Instruction* last = block.getTerminator();
    return llvm::isa_and_nonnull<llvm::SwitchInst, llvm::IndirectBrInst>(last) &&
           last->getNumSuccessors() >= kLeastWays;
  });
  return has_ways && function.getInstructionCount() >= kLeastInstructions;
}

bool HasDispatcher(const llvm::Module& module) {
  const bool has_any = llvm::any_of(module, [](const llvm::Function& function) {
    return !function.hasAvailableExternallyLinkage() && IsDispatcher(function);
  });
  // Coroutines must be split, which only LLVM's own pipelines do.
  return has_any && llvm::none_of(module, [](const llvm::Function& function) {
           return function.isPresplitCoroutine();
         });
}

llvm::ModulePassManager PassesForDispatchers() {
  llvm::ModulePassManager passes;
  passes.addPass(llvm::InferFunctionAttrsPass());
  llvm::FunctionPassManager first;
  first.addPass(llvm::LowerExpectIntrinsicPass());
  first.addPass(Simplification());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(first)));
  llvm::ModuleInlinerWrapperPass inliner(
      llvm::getInlineParams(/*OptLevel=*/2, /*SizeOptLevel=*/0), /*MandatoryFirst=*/true, {},
      llvm::InliningAdvisorMode::Default, kMostDevirtualizations);
  inliner.addModulePass(llvm::RequireAnalysisPass<llvm::ProfileSummaryAnalysis, llvm::Module>());
  inliner.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(Simplification()));
  passes.addPass(std::move(inliner));
  passes.addPass(llvm::EliminateAvailableExternallyPass());
  passes.addPass(llvm::GlobalDCEPass());
  return passes;
}

}  // namespace firstcall
