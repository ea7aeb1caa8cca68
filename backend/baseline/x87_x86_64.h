// Floating-point numbers of 80 bits (x86_fp80, C's long double), which the x87 instructions of
// x86-64 compute with.
//
// Such a number is two parts in general registers: the 64 bits of its fraction, and the 16 bits of
// its exponent and sign (value_parts.h). For an operation, the parts are stored side by side in the
// frame. The x87 registers are empty between instructions of IR.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/long_double_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_X87_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_X87_X86_64_H_

#include "backend/baseline/assembler_x86_64.h"
#include "backend/baseline/flag_test.h"
#include "backend/baseline/function_code.h"
#include "ir/instruction.h"

namespace firstcall::baseline::x86_64 {

// Arithmetic, negation, conversions from and to such numbers.
void LowerX87(FunctionCode& code, AssemblerX86_64& native, const ir::Instruction& instruction);
// Compares two such numbers. The flags are those of UCOMISD with the same operands, or of COMISD if
// the comparison `is_signaling`.
void EmitX87Compare(FunctionCode& code, AssemblerX86_64& native, ir::Operand left,
                    ir::Operand right, bool is_signaling);
// If the intrinsic of such numbers needs a library function: returns false and emits nothing.
bool EmitX87Intrinsic(FunctionCode& code, AssemblerX86_64& native,
                      const ir::Instruction& intrinsic);
// Takes the result of a call from the x87 registers.
void DefineX87Result(FunctionCode& code, AssemblerX86_64& native, const ir::Instruction& call);
// Leaves the value in the x87 registers, for the caller.
void ReturnX87(FunctionCode& code, AssemblerX86_64& native, ir::Operand value);

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_X87_X86_64_H_
