// Lets functions use all of the CPU that they will run on. A front end that compiles for any
// machine of an architecture says so in each function ("target-cpu"="x86-64"), so that without this
// the vectors of hot loops have 128 bits on every machine.
//
// Thread-compatible: hold the mutex of the view the module's context belongs to. Tested in
// tests/codegen/whole_cpu_test.cc.

#ifndef FIRSTCALL_CODEGEN_WHOLE_CPU_H_
#define FIRSTCALL_CODEGEN_WHOLE_CPU_H_

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {

// Gives all functions of `module` that have bodies the CPU and the features of `machine`, besides
// their own features; one that a function excludes stays excluded. Returns whether it did. It does
// nothing unless the machine is an x86-64 with a named CPU that has all that the functions' own
// CPUs have; nor if that might change how a function is called, or what a program computes:
//   - Arguments and results in vectors of more than 128 bits, or of other elements than whole
//     bytes, float and double, and in 16-bit floating-point numbers may be passed in other
//     registers; some calling conventions preserve more registers.
//   - Inline assembly may destroy, and "no_caller_saved_registers" must save, registers that only
//     the machine has.
//   - Atomic accesses to more than 64 bits call a library, or do not.
//   - 16-bit floating-point numbers are computed in wider ones, or are not.
//   - Constrained and masked multiplications with addition are fused, or not, and such conversions
//     to unsigned integers may differ out of range.
// Multiplications and additions that may be fused (llvm.fmuladd, the flag `contract` and the
// attribute "unsafe-fp-math") are separated if the function's own CPU would not fuse them, so that
// results stay the same. So do those of conversions of float and double to unsigned integers of 32
// and 64 bits, even out of range.
bool UseWholeCpu(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace firstcall

#endif  // FIRSTCALL_CODEGEN_WHOLE_CPU_H_
