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
Refusal RefusalOf(const llvm::Function& function, const Architecture& architecture);

Refusal RefusalOf(const llvm::Instruction& instruction, const Architecture& architecture,
                  const CoverageOptions& options);

// Whether the lowering of an instruction may call something, so that registers change.
bool MayCall(const llvm::Instruction& instruction);

// Whether an argument may be passed by value: if not, isByValArgument need not be asked, which
// takes longer.
bool MayPassByValue(const llvm::CallBase& call);

// Of what a parameter with these attributes is passed by value, in bytes.
uint64_t ByValueAlignment(const llvm::AttributeSet& attributes, const llvm::DataLayout& layout);

// The register of its own that a parameter, or an argument of a call, has: that of the address of
// the result, or that of one of Swift's attributes. kNoRegister if it has a place among the others.
Register OwnRegisterOf(const llvm::Argument& parameter, const Architecture& architecture);
Register OwnRegisterOf(const llvm::CallBase& call, unsigned index,
                       const Architecture& architecture);

// The registers that the caller changes because of Swift's attributes of its arguments.
RegisterSet SwiftRegistersOf(const llvm::CallBase& call, const Architecture& architecture);

// An intrinsic that stands for nothing in machine code.
bool IsNoOperation(const llvm::Instruction& instruction);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_COVERAGE_H_
