// The backend `mcjit`: as LLVM's, but llvm::EngineBuilder makes an execution engine for each
// module, and the engine generates the module's code.
//
// The object is not linked by the same engine, because where the object's code lies, and what the
// object refers to, is known to the runtime half only, which may have the object from a cache, or
// from another process. An engine of its own links the object there (McjitLinker).
//
// Thread-safe. Tested in tests/api/mcjit_backend_test.cc.

#ifndef FIRSTCALL_BACKEND_MCJIT_MCJIT_GENERATOR_H_
#define FIRSTCALL_BACKEND_MCJIT_MCJIT_GENERATOR_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backend/code_generator.h"
#include "backend/llvm/target.h"

namespace firstcall {

// Errors as ObjectEmitter::Create.
absl::StatusOr<std::unique_ptr<CodeGenerator>> CreateMcjitGenerator(const Target& target);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_MCJIT_MCJIT_GENERATOR_H_
