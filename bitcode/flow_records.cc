#include "bitcode/flow_records.h"

#include <cstdint>

#include "bitcode/arithmetic_records.h"
#include "bitcode/record_cursor.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::bitcode {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Operand;
using ir::Type;

// A form of switches that LLVM wrote before version 3.4 only: the upper bits of the first operand.
constexpr uint64_t kOldSwitch = 0x4b5;
constexpr int kOldSwitchShift = 16;

}  // namespace

void ReadRet(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  if (record.IsAtEnd()) {
    body.AppendTerminator(Opcode::kRet);
    return;
  }
  const TypedOperand result = record.ValueAndType();
  body.SetOperands(body.AppendTerminator(Opcode::kRet), result.operand);
  record.ExpectEnd();
}

void ReadBr(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const uint32_t target = record.Block();
  if (record.IsAtEnd()) {
    Instruction& instruction = body.AppendTerminator(Opcode::kBr);
    body.AddTarget(target);
    return body.Close(instruction);
  }
  const uint32_t if_false = record.Block();
  const Operand condition = record.Value();
  Instruction& instruction = body.AppendTerminator(Opcode::kBr);
  body.AddOperand(condition);
  body.AddTarget(target);
  body.AddTarget(if_false);
  body.Close(instruction);
  record.ExpectEnd();
}

void ReadSwitch(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const uint64_t type = record.Number();  // Of the condition, which says it, too.
  if (type >> kOldSwitchShift == kOldSwitch && body.source().types().Find(type) == nullptr) {
    return body.Refuse("a switch of an older form");
  }
  const Operand condition = record.Value();
  const uint32_t otherwise = record.Block();
  Instruction& instruction = body.AppendTerminator(Opcode::kSwitch);
  body.AddOperand(condition);
  body.AddTarget(otherwise);
  while (!record.IsAtEnd()) {
    const Operand value = record.AbsoluteValue();
    if (!value.IsConstant()) return body.Fail("a case of a switch is no constant");
    body.AddOperand(value);
    body.AddTarget(record.Block());
  }
  body.Close(instruction);
}

void ReadIndirectBr(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  record.Type();  // Of the address.
  const Operand address = record.Value();
  Instruction& instruction = body.AppendTerminator(Opcode::kIndirectBr);
  body.AddOperand(address);
  while (!record.IsAtEnd()) body.AddTarget(record.Block());
  body.Close(instruction);
}

void ReadUnreachable(RecordOperands operands, BodyBuilder& body) {
  body.AppendTerminator(Opcode::kUnreachable);
  RecordCursor(operands, body).ExpectEnd();
}

void ReadPhi(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const Type* type = record.ResultType();
  Instruction& instruction = body.Append(Opcode::kPhi, type);
  while (record.left() >= 2) {
    body.AddOperand(record.SignedValue());
    body.AddTarget(record.Block());
  }
  body.Close(instruction);
  if (!record.IsAtEnd()) SetFastMath(record.Number(), *type, instruction, body);
}

}  // namespace firstcall::bitcode
