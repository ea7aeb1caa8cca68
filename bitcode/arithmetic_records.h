// Reads the records of instructions that compute: operations, casts, comparisons, choices.
//
// Each function appends the instruction that a record means to `body`, or makes the builder fail.
// Thread-safe: the functions have no state of their own.

#ifndef FIRSTCALL_BITCODE_ARITHMETIC_RECORDS_H_
#define FIRSTCALL_BITCODE_ARITHMETIC_RECORDS_H_

#include <cstdint>

#include "bitcode/body_builder.h"
#include "ir/instruction.h"

namespace firstcall::bitcode {

void ReadUnary(RecordOperands operands, BodyBuilder& body);
void ReadBinary(RecordOperands operands, BodyBuilder& body);
void ReadCast(RecordOperands operands, BodyBuilder& body);
void ReadCompare(RecordOperands operands, BodyBuilder& body);
void ReadSelect(RecordOperands operands, BodyBuilder& body);
void ReadFreeze(RecordOperands operands, BodyBuilder& body);

// Gives the instruction the fast-math flags `flags` of a record. Fails if there are flags and the
// instruction's `type` has no floating-point numbers.
void SetFastMath(uint64_t flags, const ir::Type& type, ir::Instruction& instruction,
                 BodyBuilder& body);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_ARITHMETIC_RECORDS_H_
