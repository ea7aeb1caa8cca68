// Lets functions use all of the CPU that they will run on. A front end that compiles for any
// machine of an architecture says so in each function ("target-cpu"="x86-64"), so that without this
// the vectors of hot loops have 128 bits on every machine.
//
// Thread-compatible: hold the mutex of the view the module's context belongs to. Tested in
// tests/backend/llvm/whole_cpu_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_WHOLE_CPU_H_
#define FIRSTCALL_BACKEND_LLVM_WHOLE_CPU_H_

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {

// Which CPU optimized code is for.
struct CpuChoice {
  // Whether it may be the target's CPU. If LLVM fails to compile a module for that, the same module
  // may be compiled for the CPU that its functions name.
  bool may_be_whole = true;
  // The result: whether UseWholeCpu has changed the CPU.
  bool is_whole = false;
};

// Gives all functions of `module` that have bodies and name a CPU the CPU and the features of
// `machine`, besides their own features. Returns whether it did. It does nothing unless the machine
// is an x86-64 with a named CPU that has all that the functions' own CPUs have. Nor does it if a
// function is so large that LLVM would take long, or has something on which LLVM's code for other
// CPUs was not compared (backend/llvm/compared_constructs), or something that might change how a
// function is called, or what a program computes:
//   - Arguments and results in vectors of more than 128 bits, or of other elements than whole
//     bytes, float and double, and in 16-bit floating-point numbers may be passed in other
//     registers; some calling conventions preserve more registers.
//   - Inline assembly may destroy registers that only the machine has.
//   - Atomic accesses to more than 64 bits call a library, or do not.
//   - 16-bit floating-point numbers are computed in wider ones, or are not.
// Multiplications and additions that may be fused (llvm.fmuladd, the flag `contract` and the
// attribute "unsafe-fp-math") are separated if the function's own CPU would not fuse them, so that
// results stay the same. So do those of conversions of float and double to unsigned integers of 32
// and 64 bits, even out of range.
bool UseWholeCpu(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_WHOLE_CPU_H_
