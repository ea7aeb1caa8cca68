// What each architecture does in its own way with vectors.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_NATIVE_VECTORS_H_
#define FIRSTCALL_BACKEND_BASELINE_NATIVE_VECTORS_H_

#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

class NativeVectors {
 public:
  virtual ~NativeVectors() = default;

  // `low` and `high` are the lower and the upper half of the 16 bytes of `vector`.
  virtual void SplitVector(Register low, Register high, Register vector) = 0;
  virtual void JoinVector(Register vector, Register low, Register high) = 0;
  // Of vectors of one part.
  virtual void LowerVectorFloatCompare(FunctionCode& code, const ir::Instruction& compare) = 0;
  // Makes masks as wide as the lanes in `dst`, which is neither of the operands.
  virtual void CompareFloatLanes(ir::Predicate predicate, bool is_double, Register dst,
                                 Register left, Register right) = 0;
  // An intrinsic of the architecture's own (IsSseIntrinsic).
  virtual void LowerOwnIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic) {
    (void)code, (void)intrinsic;
  }
  // Returns a register with a bit for each lane of a vector of i1. The first lane is the lowest
  // bit; the bits above the last lane are zero.
  virtual Register MaskBits(FunctionCode& code, ir::Operand vector) = 0;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_NATIVE_VECTORS_H_
