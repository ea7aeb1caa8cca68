// LLVM's four managers of analyses, which passes of its pass manager need, made to know each other.
//
// Thread-compatible.

#ifndef FIRSTCALL_BACKEND_LLVM_ANALYSIS_MANAGERS_H_
#define FIRSTCALL_BACKEND_LLVM_ANALYSIS_MANAGERS_H_

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace firstcall {

// The order of members matters: each one is destroyed before those that it refers to.
struct AnalysisManagers {
  // Registers the analyses of `builder`, which may be gone later.
  void Register(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(call_graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, call_graphs, modules);
  }

  // Forgets all results: the IR that they are about may be gone.
  void Clear() {
    modules.clear();
    call_graphs.clear();
    functions.clear();
    loops.clear();
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graphs;
  llvm::ModuleAnalysisManager modules;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_ANALYSIS_MANAGERS_H_
