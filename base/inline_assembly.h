// Whether IR has inline assembly with a text, which may name any symbol, and which the code
// generator parses. Assembly without text (a barrier for the optimizer) and alignments of the code
// (assembly_text.h) do not count.
//
// Thread-compatible: hold the mutex of the view the module's context belongs to. Tested in
// tests/base/inline_assembly_test.cc.

#ifndef FIRSTCALL_BASE_INLINE_ASSEMBLY_H_
#define FIRSTCALL_BASE_INLINE_ASSEMBLY_H_

#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

namespace firstcall {

// Whether the instruction is a call of inline assembly.
bool IsInlineAssembly(const llvm::Instruction& instruction);

bool HasInlineAssembly(const llvm::Function& function);

// At module level or in a function.
bool HasInlineAssembly(const llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_INLINE_ASSEMBLY_H_
