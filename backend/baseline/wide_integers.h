// Integers of 65 to 128 bits, in two parts. Of the upper one the bits above the width mean nothing.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_WIDE_INTEGERS_H_
#define FIRSTCALL_BACKEND_BASELINE_WIDE_INTEGERS_H_

#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

void LowerWideBinary(FunctionCode& code, const ir::Instruction& binary);
// Returns a register with the upper part of an integer of 65 to 128 bits, extended to 64 bits.
Register InUpper(FunctionCode& code, ir::Operand value, bool is_signed);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_WIDE_INTEGERS_H_
