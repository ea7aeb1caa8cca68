#include "clients/mcjit/settings.h"

#include <memory>

#include "clients/mcjit/environment.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {
namespace {

// Enough for most programs, and a process may have hundreds of engines. A full arena is followed by
// others.
constexpr SegmentSizes kArena = {size_t{16} << 20, size_t{16} << 20, size_t{32} << 20};

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

EngineOptions OptionsFor(const llvm::TargetMachine& target_machine) {
  EngineOptions options;
  options.triple = target_machine.getTargetTriple().str();
  options.cpu = target_machine.getTargetCPU().str();
  options.features = target_machine.getTargetFeatureString().str();
  // To name neither is the engine's way to ask for this machine's processor.
  if (options.cpu.empty()) options.cpu = "generic";
  options.codegen_level = LevelOf(target_machine);
  auto target_options = std::make_shared<llvm::TargetOptions>(target_machine.Options);
  target_options->EmulatedTLS = false;
  options.target_options = std::move(target_options);
  options.arena_sizes = kArena;
  Environment::Get().ApplyTo(options);
  return options;
}

}  // namespace firstcall
