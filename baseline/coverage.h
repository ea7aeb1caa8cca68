// Decides which functions, instructions and constants the baseline code generator compiles.
//
// Thread-safe: pure functions. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_COVERAGE_H_
#define FIRSTCALL_BASELINE_COVERAGE_H_

#include "baseline/refusal.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instruction.h"

namespace firstcall::baseline {

struct CoverageOptions {
  bool has_sse41 = false;
  bool has_popcnt = false;
  bool has_few_registers = false;  // For tests: no value gets a register for life.
};

// Of its attributes and its signature.
Refusal RefusalOf(const llvm::Function& function);

Refusal RefusalOf(const llvm::Instruction& instruction, const CoverageOptions& options);

// Whether the lowering of an instruction may call something, so that registers change.
bool MayCall(const llvm::Instruction& instruction);

// Whether an argument may be passed by value: if not, isByValArgument need not be asked, which
// takes longer.
bool MayPassByValue(const llvm::CallBase& call);

// An intrinsic that stands for nothing in machine code.
bool IsNoOperation(const llvm::Instruction& instruction);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_COVERAGE_H_
