// Integers of up to 64 bits. The bits above an integer's width mean nothing: what depends on them
// extends its operands first.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_INTEGERS_H_
#define FIRSTCALL_BACKEND_BASELINE_INTEGERS_H_

#include "backend/baseline/assembler.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

// Of integers of any width, and vectors of them.
void LowerBinary(FunctionCode& code, const ir::Instruction& binary);
void LowerExtension(FunctionCode& code, const ir::Instruction& cast, bool is_signed);
void LowerTruncation(FunctionCode& code, const ir::Instruction& cast);

// `binary` is an addition, a subtraction or a bitwise operation.
Alu AluOf(const ir::Instruction& binary);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_INTEGERS_H_
