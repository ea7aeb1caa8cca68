// Integers on AArch64: what is best made of instructions that the shared part has no word for.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_INTEGERS_AARCH64_H_
#define FIRSTCALL_BACKEND_BASELINE_INTEGERS_AARCH64_H_

#include "backend/baseline/assembler_aarch64.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_integers.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline::aarch64 {

class IntegersAArch64 final : public NativeIntegers {
 public:
  explicit IntegersAArch64(AssemblerAArch64& native) : native_(native) {}

  Register InShiftCount(FunctionCode& code, ir::Operand count, unsigned bits) override;
  void EmitDivision(FunctionCode& code, const ir::Instruction& binary, bool is_signed,
                    bool is_remainder) override;
  void EmitLaneDivision(FunctionCode& code, const LaneDivision& division) override;
  void LowerWideMultiply(FunctionCode& code, const ir::Instruction& binary) override;
  void ShiftIn(bool is_left, Register dst, Register other, unsigned count) override;
  void LowerWideShiftByVariable(FunctionCode& code, const ir::Instruction& binary) override;
  void LowerOverflow(FunctionCode& code, const ir::Instruction& intrinsic) override;
  void LowerBitCount(FunctionCode& code, const ir::Instruction& intrinsic) override;
  void LowerFunnelShift(FunctionCode& code, const ir::Instruction& intrinsic) override;
  void LowerSaturating(FunctionCode& code, const ir::Instruction& intrinsic) override;

 private:
  void LowerNarrowOverflow(FunctionCode& code, const ir::Instruction& intrinsic);
  void LowerNarrowSaturating(FunctionCode& code, const ir::Instruction& intrinsic);
  void LowerNarrowFunnelShift(FunctionCode& code, const ir::Instruction& intrinsic, bool is_left);

  AssemblerAArch64& native_;
};

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BACKEND_BASELINE_INTEGERS_AARCH64_H_
