// Reads the records of instructions that take vectors and aggregates apart, or put them together.
//
// Each function appends the instruction that a record means to `body`, or makes the builder fail.
// Thread-safe: the functions have no state of their own.

#ifndef FIRSTCALL_BITCODE_ELEMENT_RECORDS_H_
#define FIRSTCALL_BITCODE_ELEMENT_RECORDS_H_

#include "bitcode/body_builder.h"

namespace firstcall::bitcode {

void ReadExtractElement(RecordOperands operands, BodyBuilder& body);
void ReadInsertElement(RecordOperands operands, BodyBuilder& body);
void ReadShuffleVector(RecordOperands operands, BodyBuilder& body);
void ReadExtractValue(RecordOperands operands, BodyBuilder& body);
void ReadInsertValue(RecordOperands operands, BodyBuilder& body);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_ELEMENT_RECORDS_H_
