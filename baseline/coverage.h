// Decides which functions, instructions and constants the baseline code generator compiles.
//
// Thread-safe: pure functions. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_COVERAGE_H_
#define FIRSTCALL_BASELINE_COVERAGE_H_

#include <cstdint>

#include "baseline/architecture.h"
#include "baseline/refusal.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instruction.h"

namespace firstcall::baseline {

// The attribute of functions whose large frames must be probed, which nothing here does.
inline constexpr char kStackProbe[] = "probe-stack";

struct CoverageOptions {
  bool has_rounding = false;  // Instructions that round to integers.
  bool has_popcnt = false;
  bool has_fusion = false;  // Instructions of x86-64, not supported, that multiply and add at once.
  bool has_atomic_updates = false;  // Instructions that do more than exchange.
  bool has_few_registers = false;   // For tests: no value gets a register for life.
};

// Of its attributes and its signature.
Refusal RefusalOf(const llvm::Function& function, const CallingConvention& convention);

Refusal RefusalOf(const llvm::Instruction& instruction, const CallingConvention& convention,
                  const CoverageOptions& options);

// Whether the lowering of an instruction may call something, so that registers change.
bool MayCall(const llvm::Instruction& instruction);

// Whether an argument may be passed by value: if not, isByValArgument need not be asked, which
// takes longer.
bool MayPassByValue(const llvm::CallBase& call);

// Of what a parameter with these attributes is passed by value, in bytes.
uint64_t ByValueAlignment(const llvm::AttributeSet& attributes, const llvm::DataLayout& layout);

// Whether argument number `index` is the address of the result and has a register of its own.
inline bool IsResultAddress(const llvm::CallBase& call, unsigned index,
                            const CallingConvention& convention) {
  return convention.result_address != kNoRegister && index < 2 &&
         call.paramHasAttr(index, llvm::Attribute::StructRet);
}

// An intrinsic that stands for nothing in machine code.
bool IsNoOperation(const llvm::Instruction& instruction);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_COVERAGE_H_
