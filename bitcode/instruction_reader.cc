#include "bitcode/instruction_reader.h"

#include <cstdint>

#include "absl/base/optimization.h"
#include "bitcode/arithmetic_records.h"
#include "bitcode/element_records.h"
#include "bitcode/exception_records.h"
#include "bitcode/flow_records.h"
#include "bitcode/memory_records.h"
#include "bitcode/record_cursor.h"
#include "bitcode/records.h"
#include "ir/opcode.h"

namespace firstcall::bitcode {

void InstructionReader::Begin() {
  has_declared_blocks_ = false;
  has_shared_blocks_ = false;
  calls_.Begin();
}

void InstructionReader::Finish() {
  if (!has_declared_blocks_) body_.Fail("the body does not say how many blocks it has");
  calls_.Finish();
}

void InstructionReader::Read(const Record& record) {
  const RecordOperands operands = record.operands;
  body_.MakeRoom(operands.size());
  switch (record.code) {
    case kFunctionCall:
      return calls_.ReadCall(operands);
    case kFunctionInvoke:
      return calls_.ReadInvoke(operands);
    case kFunctionCallBr:
      return calls_.ReadCallBr(operands);
    case kFunctionOperandBundle:
      return calls_.ReadOperandBundle(operands);
    default:
      if (ABSL_PREDICT_FALSE(calls_.has_bundle())) {
        return body_.Fail("an operand bundle without a call");
      }
      return ReadOther(record.code, operands);
  }
}

void InstructionReader::ReadDeclareBlocks(RecordOperands operands) {
  if (has_declared_blocks_) return body_.Fail("the body says twice how many blocks it has");
  has_declared_blocks_ = true;
  RecordCursor record(operands, body_);
  if (record.Number() != body_.block_count()) body_.Fail("a number of blocks has changed");
}

void InstructionReader::ReadOther(uint32_t code, RecordOperands operands) {
  switch (code) {
    case kFunctionBinary:
      return ReadBinary(operands, body_);
    case kFunctionUnary:
      return ReadUnary(operands, body_);
    case kFunctionCast:
      return ReadCast(operands, body_);
    case kFunctionCompare2:
      return ReadCompare(operands, body_);
    case kFunctionVectorSelect:
      return ReadSelect(operands, body_);
    case kFunctionFreeze:
      return ReadFreeze(operands, body_);
    case kFunctionExtractElement:
      return ReadExtractElement(operands, body_);
    case kFunctionInsertElement:
      return ReadInsertElement(operands, body_);
    case kFunctionShuffleVector:
      return ReadShuffleVector(operands, body_);
    case kFunctionExtractValue:
      return ReadExtractValue(operands, body_);
    case kFunctionInsertValue:
      return ReadInsertValue(operands, body_);
    case kFunctionAlloca:
      return ReadAlloca(operands, body_);
    case kFunctionGep:
      return ReadGetElementPtr(operands, body_);
    case kFunctionLoad:
      return ReadLoad(operands, body_);
    case kFunctionLoadAtomic:
      return ReadLoadAtomic(operands, body_);
    case kFunctionStore:
      return ReadStore(operands, body_);
    case kFunctionStoreAtomic:
      return ReadStoreAtomic(operands, body_);
    case kFunctionFence:
      return ReadFence(operands, body_);
    case kFunctionCmpXchg:
      return ReadCmpXchg(operands, body_);
    case kFunctionAtomicRmw:
      return ReadAtomicRmw(operands, body_);
    case kFunctionVAArg:
      return ReadVAArg(operands, body_);
    case kFunctionPhi:
      return ReadPhi(operands, body_);
    case kFunctionRet:
      return ReadRet(operands, body_);
    case kFunctionBr:
      return ReadBr(operands, body_);
    case kFunctionSwitch:
      return ReadSwitch(operands, body_);
    case kFunctionIndirectBr:
      return ReadIndirectBr(operands, body_);
    case kFunctionUnreachable:
      return ReadUnreachable(operands, body_);
    case kFunctionResume:
      return ReadResume(operands, body_);
    case kFunctionLandingPad:
      return ReadLandingPad(operands, body_);
    case kFunctionCleanupPad:
      return ReadPad(ir::Opcode::kCleanupPad, operands, body_);
    case kFunctionCatchPad:
      return ReadPad(ir::Opcode::kCatchPad, operands, body_);
    case kFunctionCleanupRet:
      return ReadCleanupRet(operands, body_);
    case kFunctionCatchRet:
      return ReadCatchRet(operands, body_);
    case kFunctionCatchSwitch:
      return ReadCatchSwitch(operands, body_);
    case kFunctionDeclareBlocks:
      return ReadDeclareBlocks(operands);
    case kFunctionBlockAddressUsers:
      has_shared_blocks_ = true;
      return;
    default:
      return body_.Refuse("an unknown record, or one of an older LLVM");
  }
}

}  // namespace firstcall::bitcode
