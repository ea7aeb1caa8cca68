// The compiler half, and LLVM, linked into the program. Thread-safe. Tested in
// tests/api/engine_test.cc.

#ifndef FIRSTCALL_ENGINE_LINKED_COMPILER_H_
#define FIRSTCALL_ENGINE_LINKED_COMPILER_H_

#include "engine/compiler_provider.h"

namespace firstcall {

// Exists for as long as the process. Its compilers are InProcessCompilers.
CompilerProvider& LinkedCompiler();

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_LINKED_COMPILER_H_
