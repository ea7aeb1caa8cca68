// Compiles a module by MCJIT: llvm::EngineBuilder makes an execution engine for the module, and the
// engine generates its code.
//
// The object is not linked by the same engine, because where the object's code lies, and what the
// object refers to, is known to the runtime half only, which may have the object from a cache, or
// from another process. An engine of its own links the object there (codegen/mcjit_linker).
//
// Thread-safe for modules of different contexts. Tested in tests/api/mcjit_backend_test.cc.

#ifndef FIRSTCALL_CODEGEN_MCJIT_COMPILER_H_
#define FIRSTCALL_CODEGEN_MCJIT_COMPILER_H_

#include <memory>

#include "absl/status/status.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {

// Replaces the contents of `object` by the relocatable object of `module`, which stays the
// caller's. Blocks until the compile is done. InvalidArgument if LLVM makes no engine for
// `machine`; errors of RunGuarded if LLVM gives up, after which LLVM may still refer to the module.
absl::Status CompileByMcjit(llvm::Module& module, std::unique_ptr<llvm::TargetMachine> machine,
                            llvm::SmallVectorImpl<char>& object);

}  // namespace firstcall

#endif  // FIRSTCALL_CODEGEN_MCJIT_COMPILER_H_
