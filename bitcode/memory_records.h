// Reads the records of instructions that work on memory and addresses.
//
// Each function appends the instruction that a record means to `body`, or makes the builder fail.
// Thread-safe: the functions have no state of their own.

#ifndef FIRSTCALL_BITCODE_MEMORY_RECORDS_H_
#define FIRSTCALL_BITCODE_MEMORY_RECORDS_H_

#include "bitcode/body_builder.h"

namespace firstcall::bitcode {

void ReadAlloca(RecordOperands operands, BodyBuilder& body);
void ReadGetElementPtr(RecordOperands operands, BodyBuilder& body);
void ReadLoad(RecordOperands operands, BodyBuilder& body);
void ReadLoadAtomic(RecordOperands operands, BodyBuilder& body);
void ReadStore(RecordOperands operands, BodyBuilder& body);
void ReadStoreAtomic(RecordOperands operands, BodyBuilder& body);
void ReadFence(RecordOperands operands, BodyBuilder& body);
void ReadCmpXchg(RecordOperands operands, BodyBuilder& body);
void ReadAtomicRmw(RecordOperands operands, BodyBuilder& body);
void ReadVAArg(RecordOperands operands, BodyBuilder& body);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_MEMORY_RECORDS_H_
