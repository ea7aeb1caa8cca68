// LLVM's constrained floating-point intrinsics (LangRef): what they compute, and the texts by which
// their calls say how numbers may be rounded and whether exceptions are observed. A call has these
// texts as arguments behind the others: of a comparison its predicate; the rounding, if the
// operation rounds; the exceptions.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_IR_CONSTRAINED_H_
#define FIRSTCALL_IR_CONSTRAINED_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"

namespace firstcall::ir {

struct ConstrainedOperation {
  // The instruction that computes the same where nothing is constrained. kCall: a call of `plain`.
  Opcode opcode = Opcode::kCall;
  IntrinsicId plain = IntrinsicId::kNone;
  uint8_t argument_count = 0;  // Without texts.
  bool has_rounding = false;
  bool is_signaling = false;  // A comparison whose operands raise an exception if one is a NaN.

  // How many texts follow the other arguments.
  uint32_t text_count() const {
    return 1u + (has_rounding ? 1u : 0u) + (opcode == Opcode::kFCmp ? 1u : 0u);
  }
};

// Whether the name is that of a constrained intrinsic, be it one that has no number here.
bool IsConstrainedName(absl::string_view name);

// Null if the intrinsic is none of the constrained ones.
const ConstrainedOperation* ConstrainedOperationOf(IntrinsicId intrinsic);

// The intrinsic that computes the same where nothing is constrained. kNone if an instruction does,
// or if `intrinsic` is none of the constrained ones.
IntrinsicId PlainIntrinsicOf(IntrinsicId intrinsic);

// Sets `predicate` to what a comparison's text, such as "olt", means. False if the text means
// nothing.
bool FindConstrainedPredicate(absl::string_view text, Predicate& predicate);

bool IsConstrainedRounding(absl::string_view text);
bool IsConstrainedExceptions(absl::string_view text);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CONSTRAINED_H_
