// Finds what LLVM 19 gets wrong if it generates code at -O0. Front ends do not meet these defects,
// because they do not generate code at -O0 for IR that was optimized. Tested in
// tests/codegen/object_emitter_test.cc.
//
// Thread-compatible.

#ifndef FIRSTCALL_CODEGEN_WRONG_AT_O0_H_
#define FIRSTCALL_CODEGEN_WRONG_AT_O0_H_

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// Whether a function of `module` has
//   - a result of an "asm goto", which is lost where the assembly jumps, or
//   - indirect branches and speculative load hardening, which crash.
// Takes time proportional to the number of blocks.
bool IsWrongAtO0(const llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_CODEGEN_WRONG_AT_O0_H_
