// The function that creates an engine in MCJIT's place.
//
// Thread-safe.

#ifndef FIRSTCALL_CLIENTS_MCJIT_CONSTRUCTOR_H_
#define FIRSTCALL_CLIENTS_MCJIT_CONSTRUCTOR_H_

#include <memory>
#include <string>

#include "llvm/ExecutionEngine/ExecutionEngine.h"

namespace llvm {
class LegacyJITSymbolResolver;
class MCJITMemoryManager;
class Module;
class TargetMachine;
}  // namespace llvm

namespace firstcall {

// The type of llvm::ExecutionEngine::MCJITCtor.
using McjitConstructor = llvm::ExecutionEngine* (*)(std::unique_ptr<llvm::Module>, std::string*,
                                                    std::shared_ptr<llvm::MCJITMemoryManager>,
                                                    std::shared_ptr<llvm::LegacyJITSymbolResolver>,
                                                    std::unique_ptr<llvm::TargetMachine>);

// Sets the constructor of MCJIT's own engines. Call it before ConstructEngine.
void SetMcjitsOwn(McjitConstructor constructor);

// A McjitConstructor: creates a LazyEngine, or MCJIT's own engine if a LazyEngine would not behave
// like it.
llvm::ExecutionEngine* ConstructEngine(std::unique_ptr<llvm::Module> module, std::string* error,
                                       std::shared_ptr<llvm::MCJITMemoryManager> memory_manager,
                                       std::shared_ptr<llvm::LegacyJITSymbolResolver> resolver,
                                       std::unique_ptr<llvm::TargetMachine> target_machine);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_CONSTRUCTOR_H_
