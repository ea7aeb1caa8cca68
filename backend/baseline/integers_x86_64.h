// Integers on x86-64: what needs registers of its own, or flags that only x86-64 has.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_INTEGERS_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_INTEGERS_X86_64_H_

#include "backend/baseline/assembler_x86_64.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_integers.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline::x86_64 {

class IntegersX86_64 final : public NativeIntegers {
 public:
  explicit IntegersX86_64(AssemblerX86_64& native) : native_(native) {}

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
  AssemblerX86_64& native_;
};

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_INTEGERS_X86_64_H_
