#include "tests/splitter/osr/reference_jit.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "gtest/gtest.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Memory.h"
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

// Places all of a module within reach of a distance, which LLVM's own manager does not promise:
// code in the lower half of its pages, everything else in the upper one.
class NearMemory final : public llvm::RTDyldMemoryManager {
 public:
  NearMemory()
      : pages_(static_cast<uint8_t*>(mmap(nullptr, 2 * kHalf, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~NearMemory() override {
    deregisterEHFrames();
    munmap(pages_, 2 * kHalf);
  }

  uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned,
                               llvm::StringRef) override {
    return Take(code_used_, size, alignment);
  }
  uint8_t* allocateDataSection(uintptr_t size, unsigned alignment, unsigned, llvm::StringRef,
                               bool) override {
    return Take(data_used_, size, alignment);
  }
  bool finalizeMemory(std::string*) override {
    if (mprotect(pages_, kHalf, PROT_READ | PROT_EXEC) != 0) return true;
    llvm::sys::Memory::InvalidateInstructionCache(pages_, code_used_);
    return false;
  }

 private:
  static constexpr size_t kHalf = size_t{8} << 20;

  uint8_t* Take(size_t& used, size_t size, size_t alignment) {
    used = llvm::alignTo(used, std::max<size_t>(alignment, 16));
    uint8_t* taken = pages_ + used;
    used += size;
    return taken;
  }

  uint8_t* const pages_;
  size_t code_used_ = 0;
  size_t data_used_ = kHalf;
};

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

std::string ReferenceDataLayout() {
  InitializeTargets();
  const std::unique_ptr<llvm::TargetMachine> machine(llvm::EngineBuilder().selectTarget());
  return machine->createDataLayout().getStringRepresentation();
}

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
      .setMCJITMemoryManager(std::make_unique<NearMemory>());
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
