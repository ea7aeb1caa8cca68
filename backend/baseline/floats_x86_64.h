// Floating point on x86-64 with SSE2: what the shared part has no common word for.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_FLOATS_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_FLOATS_X86_64_H_

#include "backend/baseline/assembler_x86_64.h"
#include "backend/baseline/flag_test.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_floats.h"
#include "ir/instruction.h"

namespace firstcall::baseline::x86_64 {

class FloatsX86_64 final : public NativeFloats {
 public:
  explicit FloatsX86_64(AssemblerX86_64& native) : native_(native) {}

  void LowerNegation(FunctionCode& code, const ir::Instruction& negation) override;
  FlagTest EmitFloatCompare(FunctionCode& code, const ir::Instruction& compare) override;
  void EmitIntegerToFloat(FunctionCode& code, const ir::Instruction& cast, bool is_signed) override;
  void EmitFloatToInteger(FunctionCode& code, const ir::Instruction& cast, bool is_signed) override;
  void LowerHalfCast(FunctionCode& code, const ir::Instruction& cast) override;
  void LowerLongDouble(FunctionCode& code, const ir::Instruction& instruction) override;
  void DefineLongDouble(FunctionCode& code, const ir::Instruction& call) override;
  void ReturnLongDouble(FunctionCode& code, ir::Operand value) override;
  void EmitRounding(ir::IntrinsicId intrinsic, bool is_double, Register reg) override;
  bool EmitFloatIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic) override;

 private:
  // Of a strict conversion to 64 bits. `number`: a register with the operand.
  void EmitStrictToUnsigned(FunctionCode& code, const ir::Instruction& cast, Register number);
  void LowerRounding(FunctionCode& code, const ir::Instruction& intrinsic, unsigned mode);

  AssemblerX86_64& native_;
};

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_FLOATS_X86_64_H_
