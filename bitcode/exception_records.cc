#include "bitcode/exception_records.h"

#include <cstdint>

#include "bitcode/record_cursor.h"
#include "ir/instruction.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::bitcode {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Operand;
using ir::Type;

// The number of a clause's kind is 0 (catch) or 1 (filter).
constexpr uint64_t kFilter = 1;

// The type of the results of pads: no record names it.
const Type* TokenType(BodyBuilder& body) {
  const Type* type = body.source().types().FindToken();
  if (type != nullptr) return type;
  body.Refuse("a pad in a module that lacks the type token");
  return body.no_type();
}

}  // namespace

void ReadResume(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand exception = record.ValueAndType();
  body.SetOperands(body.AppendTerminator(Opcode::kResume), exception.operand);
  record.ExpectEnd();
}

void ReadLandingPad(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  Instruction& instruction = body.Append(Opcode::kLandingPad, record.ResultType());
  instruction.is_cleanup = record.Flag();
  const uint64_t count = record.Number();
  for (uint64_t i = 0; i < count && !body.failed(); ++i) {
    const uint64_t kind = record.Number();
    if (kind > kFilter) return body.Refuse("a landing pad with an unknown clause");
    body.AddOperand(record.ValueAndType().operand);
    body.AddTarget(static_cast<uint32_t>(kind));
  }
  body.Close(instruction);
  record.ExpectEnd();
}

void ReadPad(Opcode opcode, RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const Operand parent = record.Value();
  Instruction& instruction = body.Append(opcode, TokenType(body));
  body.AddOperand(parent);
  const uint64_t count = record.Number();
  for (uint64_t i = 0; i < count && !body.failed(); ++i) {
    body.AddOperand(record.ValueAndType().operand);
  }
  body.Close(instruction);
  record.ExpectEnd();
}

void ReadCleanupRet(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const Operand pad = record.Value();
  Instruction& instruction = body.AppendTerminator(Opcode::kCleanupRet);
  body.AddOperand(pad);
  if (!record.IsAtEnd()) body.AddTarget(record.Block());
  body.Close(instruction);
  record.ExpectEnd();
}

void ReadCatchRet(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const Operand pad = record.Value();
  Instruction& instruction = body.AppendTerminator(Opcode::kCatchRet);
  body.AddOperand(pad);
  body.AddTarget(record.Block());
  body.Close(instruction);
  record.ExpectEnd();
}

void ReadCatchSwitch(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const Operand parent = record.Value();
  Instruction& instruction = body.Append(Opcode::kCatchSwitch, TokenType(body));
  body.EndBlock();
  body.AddOperand(parent);
  const uint64_t count = record.Number();
  for (uint64_t i = 0; i < count && !body.failed(); ++i) body.AddTarget(record.Block());
  // Where unwinding goes on.
  if (!record.IsAtEnd()) body.AddTarget(record.Block());
  body.Close(instruction);
  record.ExpectEnd();
}

}  // namespace firstcall::bitcode
