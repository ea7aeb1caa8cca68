// What each architecture does in its own way with floating-point numbers.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_NATIVE_FLOATS_H_
#define FIRSTCALL_BACKEND_BASELINE_NATIVE_FLOATS_H_

#include "backend/baseline/flag_test.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/intrinsic.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

class NativeFloats {
 public:
  virtual ~NativeFloats() = default;

  virtual void LowerNegation(FunctionCode& code, const ir::Instruction& negation) = 0;
  // Of scalars. The returned test holds if the comparison does.
  virtual FlagTest EmitFloatCompare(FunctionCode& code, const ir::Instruction& compare) = 0;
  // Conversions from and to integers of up to 64 bits.
  virtual void EmitIntegerToFloat(FunctionCode& code, const ir::Instruction& cast,
                                  bool is_signed) = 0;
  virtual void EmitFloatToInteger(FunctionCode& code, const ir::Instruction& cast,
                                  bool is_signed) = 0;
  // Between half and a float or a double; half is not extended to a double.
  virtual void LowerHalfCast(FunctionCode& code, const ir::Instruction& cast) = 0;
  // Of long doubles of 80 bits: arithmetic, negation and conversions; results of calls; what a
  // function returns. Only where the calling convention has them (CallingConvention).
  virtual void LowerLongDouble(FunctionCode& code, const ir::Instruction& instruction) {
    (void)code, (void)instruction;
  }
  virtual void DefineLongDouble(FunctionCode& code, const ir::Instruction& call) {
    (void)code, (void)call;
  }
  virtual void ReturnLongDouble(FunctionCode& code, ir::Operand value) { (void)code, (void)value; }
  // Rounds the float or double in a register to an integral value, or replaces it by its square
  // root, as the intrinsic says. Only where there are such instructions (CoverageOptions).
  virtual void EmitRounding(ir::IntrinsicId intrinsic, bool is_double, Register reg) = 0;
  // If the intrinsic needs a library function: returns false and emits nothing.
  virtual bool EmitFloatIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic) = 0;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_NATIVE_FLOATS_H_
