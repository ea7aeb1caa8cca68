// Floating point on AArch64: what the shared part has no common word for.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_FLOATS_AARCH64_H_
#define FIRSTCALL_BACKEND_BASELINE_FLOATS_AARCH64_H_

#include "backend/baseline/assembler_aarch64.h"
#include "backend/baseline/flag_test.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_floats.h"
#include "ir/instruction.h"

namespace firstcall::baseline::aarch64 {

class FloatsAArch64 final : public NativeFloats {
 public:
  explicit FloatsAArch64(AssemblerAArch64& native) : native_(native) {}

  void LowerNegation(FunctionCode& code, const ir::Instruction& negation) override;
  FlagTest EmitFloatCompare(FunctionCode& code, const ir::Instruction& compare) override;
  void EmitIntegerToFloat(FunctionCode& code, const ir::Instruction& cast, bool is_signed) override;
  void EmitFloatToInteger(FunctionCode& code, const ir::Instruction& cast, bool is_signed) override;
  void LowerHalfCast(FunctionCode& code, const ir::Instruction& cast) override;
  void EmitRounding(ir::IntrinsicId intrinsic, bool is_double, Register reg) override;
  bool EmitFloatIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic) override;

 private:
  bool EmitRounding(FunctionCode& code, const ir::Instruction& intrinsic);

  AssemblerAArch64& native_;
};

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BACKEND_BASELINE_FLOATS_AARCH64_H_
