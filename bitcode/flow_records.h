// Reads the records of terminators and of phis, but for calls' (call_reader.h) and those of
// exceptions (exception_records.h).
//
// Each function appends the instruction that a record means to `body`, or makes the builder fail.
// Thread-safe: the functions have no state of their own.

#ifndef FIRSTCALL_BITCODE_FLOW_RECORDS_H_
#define FIRSTCALL_BITCODE_FLOW_RECORDS_H_

#include "bitcode/body_builder.h"

namespace firstcall::bitcode {

void ReadRet(RecordOperands operands, BodyBuilder& body);
void ReadBr(RecordOperands operands, BodyBuilder& body);
void ReadSwitch(RecordOperands operands, BodyBuilder& body);
void ReadIndirectBr(RecordOperands operands, BodyBuilder& body);
void ReadUnreachable(RecordOperands operands, BodyBuilder& body);
void ReadPhi(RecordOperands operands, BodyBuilder& body);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_FLOW_RECORDS_H_
