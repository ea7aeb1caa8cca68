// The options of an engine that generates code for a client's target machine.

#ifndef FIRSTCALL_CLIENTS_MCJIT_SETTINGS_H_
#define FIRSTCALL_CLIENTS_MCJIT_SETTINGS_H_

#include "engine/options.h"

namespace llvm {
class TargetMachine;
}  // namespace llvm

namespace firstcall {

// Processor, features, level and options are those of `target_machine`; the code model and the
// relocation model are the engine's own. EmulatedTLS is not: the engine's modules have
// thread-local variables as natively.
EngineOptions OptionsFor(const llvm::TargetMachine& target_machine);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_SETTINGS_H_
