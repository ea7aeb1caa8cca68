// What each architecture does in its own way with integers.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_NATIVE_INTEGERS_H_
#define FIRSTCALL_BACKEND_BASELINE_NATIVE_INTEGERS_H_

#include "backend/baseline/lanes.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

struct LaneDivision {
  Lanes left, right, result;
  unsigned count = 0;
  bool is_signed = false;
  bool is_remainder = false;
};

class NativeIntegers {
 public:
  virtual ~NativeIntegers() = default;

  // Returns a register with the count of a shift of `bits` bits, for Assembler::ShiftRr. What is
  // above the lowest 8 bits of the count does not matter. Clobbers only registers that hold no live
  // value.
  virtual Register InShiftCount(FunctionCode& code, ir::Operand count, unsigned bits) = 0;
  virtual void EmitDivision(FunctionCode& code, const ir::Instruction& binary, bool is_signed,
                            bool is_remainder) = 0;

  // Divides each of `count` lanes. Clobbers only registers that hold no live value.
  virtual void EmitLaneDivision(FunctionCode& code, const LaneDivision& division) = 0;

  // ---- Integers of two parts ----
  virtual void LowerWideMultiply(FunctionCode& code, const ir::Instruction& binary) = 0;
  // Shifts the 64 bits of `dst` by 1 to 63. Bits of `other` fill the bits that become free.
  virtual void ShiftIn(bool is_left, Register dst, Register other, unsigned count) = 0;
  virtual void LowerWideShiftByVariable(FunctionCode& code, const ir::Instruction& binary) = 0;

  // ---- Intrinsics ----
  virtual void LowerOverflow(FunctionCode& code, const ir::Instruction& intrinsic) = 0;
  virtual void LowerBitCount(FunctionCode& code, const ir::Instruction& intrinsic) = 0;
  virtual void LowerFunnelShift(FunctionCode& code, const ir::Instruction& intrinsic) = 0;
  virtual void LowerSaturating(FunctionCode& code, const ir::Instruction& intrinsic) = 0;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_NATIVE_INTEGERS_H_
