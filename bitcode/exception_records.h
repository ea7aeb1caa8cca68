// Reads the records of instructions that handle exceptions: landing pads and the pads of Windows.
//
// Each function appends the instruction that a record means to `body`, or makes the builder fail.
// Thread-safe: the functions have no state of their own.

#ifndef FIRSTCALL_BITCODE_EXCEPTION_RECORDS_H_
#define FIRSTCALL_BITCODE_EXCEPTION_RECORDS_H_

#include "bitcode/body_builder.h"
#include "ir/opcode.h"

namespace firstcall::bitcode {

void ReadResume(RecordOperands operands, BodyBuilder& body);
void ReadLandingPad(RecordOperands operands, BodyBuilder& body);
// `opcode`: kCleanupPad or kCatchPad.
void ReadPad(ir::Opcode opcode, RecordOperands operands, BodyBuilder& body);
void ReadCleanupRet(RecordOperands operands, BodyBuilder& body);
void ReadCatchRet(RecordOperands operands, BodyBuilder& body);
void ReadCatchSwitch(RecordOperands operands, BodyBuilder& body);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_EXCEPTION_RECORDS_H_
