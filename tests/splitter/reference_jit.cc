#include "tests/splitter/reference_jit.h"

#include <utility>

#include "gtest/gtest.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {
namespace {

void InitializeTargets() {
  // The native one cannot be named: the headers may be those of another architecture's package.
  static const bool done = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
    return true;
  }();
  (void)done;
}

void Optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

}  // namespace

ReferenceJit::ReferenceJit(std::unique_ptr<llvm::Module> module, bool optimize,
                           const std::map<std::string, void*>& host) {
  InitializeTargets();
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream)) {
    ADD_FAILURE() << problem;
    return;
  }
  llvm::Module* const its_module = module.get();
  llvm::EngineBuilder builder(std::move(module));
  builder.setErrorStr(&problem)
      .setEngineKind(llvm::EngineKind::JIT)
      .setOptLevel(optimize ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None)
      .setMCJITMemoryManager(std::make_unique<llvm::SectionMemoryManager>());
  llvm::TargetMachine* machine = builder.selectTarget();
  engine_.reset(builder.create(machine));
  if (engine_ == nullptr) {
    ADD_FAILURE() << problem;
    return;
  }
  its_module->setDataLayout(machine->createDataLayout());
  if (optimize) Optimize(*its_module, *machine);
  for (const auto& [name, address] : host) {
    engine_->addGlobalMapping(name, reinterpret_cast<uint64_t>(address));
  }
  engine_->finalizeObject();
}

uint64_t ReferenceJit::Find(const std::string& name) {
  if (const uint64_t function = engine_->getFunctionAddress(name)) return function;
  return engine_->getGlobalValueAddress(name);
}

}  // namespace firstcall
