// Finds what LLVM 19 gets wrong if it generates code at -O0. Front ends rarely meet these defects,
// because they do not generate code at -O0 for IR that was optimized. Tested in
// tests/backend/llvm/object_emitter_test.cc.
//
// Thread-compatible.

#ifndef FIRSTCALL_BACKEND_LLVM_WRONG_AT_O0_H_
#define FIRSTCALL_BACKEND_LLVM_WRONG_AT_O0_H_

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace firstcall {

// Whether `machine` at -O0 would get a function of `module` wrong. LLVM treats functions with
// `optnone` as at -O0 whatever the machine's level is, so these functions lose that attribute.
//
// On all architectures, wrong are
//   - results of an "asm goto", which are lost where the assembly jumps,
//   - indirect branches and speculative load hardening, which crash,
//   - loads of a `swifterror` variable, which on x86-64 become operands that read memory, where the
//     variable is not, and
//   - tail calls of a convention that guarantees them, if the return is in another block: LLVM
//     copies returns behind such calls, but not at -O0. Optimizers merge the returns of a function.
// On AArch64 also
//   - operations on `bfloat`, which is taken for `half`,
//   - `fcmp` with a predicate that ignores its operands, and
//   - vectors in memory whose elements do not fill bytes.
//
// Takes time proportional to the number of instructions.
bool HasWrongAtO0(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_WRONG_AT_O0_H_
