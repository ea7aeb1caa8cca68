// The arithmetic of the intrinsics that saturate, or that tell whether the result has overflowed.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CHECKED_ARITHMETIC_H_
#define FIRSTCALL_BACKEND_BASELINE_CHECKED_ARITHMETIC_H_

#include "ir/intrinsic.h"
#include "ir/opcode.h"

namespace firstcall::baseline {

struct CheckedArithmetic {
  ir::Opcode operation;  // kAdd, kSub or kMul.
  bool is_signed;
};

// `intrinsic` must be such an intrinsic.
inline CheckedArithmetic CheckedArithmeticOf(ir::IntrinsicId intrinsic) {
  switch (intrinsic) {
    case ir::IntrinsicId::kSaddSat:
    case ir::IntrinsicId::kSaddWithOverflow:
      return {ir::Opcode::kAdd, true};
    case ir::IntrinsicId::kUaddSat:
    case ir::IntrinsicId::kUaddWithOverflow:
      return {ir::Opcode::kAdd, false};
    case ir::IntrinsicId::kSsubSat:
    case ir::IntrinsicId::kSsubWithOverflow:
      return {ir::Opcode::kSub, true};
    case ir::IntrinsicId::kUsubSat:
    case ir::IntrinsicId::kUsubWithOverflow:
      return {ir::Opcode::kSub, false};
    case ir::IntrinsicId::kSmulWithOverflow:
      return {ir::Opcode::kMul, true};
    default:
      return {ir::Opcode::kMul, false};
  }
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CHECKED_ARITHMETIC_H_
