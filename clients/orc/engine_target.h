// The target of an engine that generates code for a client's target machine.
//
// Pure functions.

#ifndef FIRSTCALL_CLIENTS_ORC_ENGINE_TARGET_H_
#define FIRSTCALL_CLIENTS_ORC_ENGINE_TARGET_H_

#include "engine/options.h"

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace firstcall {

// Sets triple, processor, features, level and options to those of `target_machine`. The code model,
// the relocation model, and which of LLVM's code generators chooses instructions, are the engine's
// own choice.
void SetEngineTarget(const llvm::TargetMachine& target_machine, EngineOptions& options);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_ENGINE_TARGET_H_
