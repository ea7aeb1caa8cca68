// The reasons for which the baseline code generator leaves a function to LLVM. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_REFUSAL_H_
#define FIRSTCALL_BACKEND_BASELINE_REFUSAL_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace firstcall::baseline {

enum class Refusal : uint8_t {
  kNone,  // Not refused: the function is compiled.
  kFunctionAttribute,
  kCallingConvention,
  kDebugInformation,
  kType,
  kConstant,
  kInlineAssembly,
  kMustTail,
  kOperandBundle,
  kReturnsTwice,
  kArgumentPassing,
  kIntrinsic,
  kInstruction,
  kAtomic,
  kVector,
  kAggregate,
  kBlockAddress,
  kException,
  kSize,
  kVariable,
  kAlias,
  kRegisters,
  kReach,
  kRepresentation,
  kCount,
};

// The refusal in a few words, for statistics.
absl::string_view RefusalName(Refusal refusal);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_REFUSAL_H_
