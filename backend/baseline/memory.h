// Addresses, loads, stores, allocas, copies.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_MEMORY_H_
#define FIRSTCALL_BACKEND_BASELINE_MEMORY_H_

#include <cstdint>

#include "backend/baseline/assembler.h"
#include "backend/baseline/memory_update.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

Mem AddressOf(FunctionCode& code, ir::Operand pointer);
// The same address, computed into one register. Lets go of the registers of `mem`.
Mem WithBaseOnly(FunctionCode& code, const Mem& mem);

void LowerElementAddress(FunctionCode& code, const ir::Instruction& element);
void LowerLoad(FunctionCode& code, const ir::Instruction& load);
// Stores a value that is no vector of masks to an address.
void StoreValue(FunctionCode& code, ir::Operand pointer, ir::Operand value);
void LowerStore(FunctionCode& code, const ir::Instruction& store);
// Stores the stack pointer in the frame, if the function keeps it there
// (FunctionFacts::keeps_stack_pointer).
void KeepStackPointer(FunctionCode& code);
void LowerAlloca(FunctionCode& code, const ir::Instruction& alloca);

// The address is read for the last time, so that its registers may be the result's.
void Release(FunctionCode& code, const Mem& mem);
// Whether one instruction performs the whole `update`.
bool IsEmittedAsOne(const FunctionCode& code, const MemoryUpdate& update);
// Copies a few bytes through the scratch registers. Neither address may use a scratch register.
void CopyBytes(FunctionCode& code, const Mem& to, const Mem& from, uint64_t size);
// The size of the piece to copy or to fill next: the largest of 16, 8, 4, 2, 1 that is at most
// `left`.
unsigned PieceOf(uint64_t left);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_MEMORY_H_
