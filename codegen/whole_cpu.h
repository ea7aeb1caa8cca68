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
// nothing unless the machine is an x86-64 with a named CPU; nor if that might change how a function
// is called, or what a program computes:
//   - Arguments and results in vectors of more than 128 bits, of bits, or of 16-bit floating-point
//     numbers are passed in other registers if the CPU has them, and some calling conventions
//     preserve more.
//   - Atomic accesses to more than 64 bits call a library, or do not.
//   - Constrained multiplications with addition are fused, or not.
// Multiplications and additions that may be fused (llvm.fmuladd, and the flag `contract`) are
// separated if the function's own CPU would not fuse them, so that results stay the same.
bool UseWholeCpu(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace firstcall

#endif  // FIRSTCALL_CODEGEN_WHOLE_CPU_H_
