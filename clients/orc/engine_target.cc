#include "clients/orc/engine_target.h"

#include <memory>
#include <utility>

#include "llvm/Target/TargetMachine.h"

namespace firstcall {
namespace {

CodegenLevel LevelOf(const llvm::TargetMachine& target_machine) {
  switch (target_machine.getOptLevel()) {
    case llvm::CodeGenOptLevel::None:
      return CodegenLevel::kO0;
    case llvm::CodeGenOptLevel::Less:
      return CodegenLevel::kO1;
    case llvm::CodeGenOptLevel::Default:
      return CodegenLevel::kO2;
    case llvm::CodeGenOptLevel::Aggressive:
      return CodegenLevel::kO3;
  }
  return CodegenLevel::kO2;
}

}  // namespace

void SetEngineTarget(const llvm::TargetMachine& target_machine, EngineOptions& options) {
  options.triple = target_machine.getTargetTriple().str();
  options.cpu = target_machine.getTargetCPU().str();
  options.features = target_machine.getTargetFeatureString().str();
  // To name neither is the engine's way to ask for this machine's processor.
  if (options.cpu.empty()) options.cpu = "generic";
  options.codegen_level = LevelOf(target_machine);
  auto target_options = std::make_shared<llvm::TargetOptions>(target_machine.Options);
  // Both choose among LLVM's instruction selectors. At level None LLVM itself turns GlobalISel on
  // for AArch64, which must not make optimized bodies.
  target_options->EnableFastISel = false;
  target_options->EnableGlobalISel = false;
  options.target_options = std::move(target_options);
}

}  // namespace firstcall
