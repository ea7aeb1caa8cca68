// Whether IR has inline assembly, which may name any symbol, and which the code generator parses
// and may refuse.
//
// Thread-compatible: hold the mutex of the view the module's context belongs to. Tested in
// tests/base/inline_assembly_test.cc.

#ifndef FIRSTCALL_BASE_INLINE_ASSEMBLY_H_
#define FIRSTCALL_BASE_INLINE_ASSEMBLY_H_

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace firstcall {

bool HasInlineAssembly(const llvm::Function& function);

// At module level or in a function.
bool HasInlineAssembly(const llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_INLINE_ASSEMBLY_H_
