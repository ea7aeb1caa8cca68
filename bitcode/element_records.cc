#include "bitcode/element_records.h"

#include <cstdint>

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

// The type of member `index` of a structure or an array; null if there is none.
const Type* MemberOf(const Type& type, uint64_t index) {
  if (type.IsArray()) return index < type.count ? type.element() : nullptr;
  if (!type.IsStruct() || index >= type.members().size()) return nullptr;
  return type.members()[index];
}

// Adds the record's other operands to the targets of an instruction that is appended later: indices
// into a value of `type`. Returns the type of the part that they lead to.
inline const Type* ReadIndices(const Type* type, RecordCursor& record, BodyBuilder& body) {
  if (record.IsAtEnd()) body.Fail("the record lacks operands");
  while (!record.IsAtEnd()) {
    const uint64_t index = record.Number();
    type = index > UINT32_MAX ? nullptr : MemberOf(*type, index);
    if (type == nullptr) {
      body.Fail("an aggregate has no part with this index");
      return body.no_type();
    }
    body.AddTarget(static_cast<uint32_t>(index));
  }
  return type;
}

// The targets behind the first `first_target` ones are the indices of the instruction.
void TakeIndices(uint32_t first_target, Instruction& instruction, BodyBuilder& body) {
  instruction.first_target = first_target;
  body.Close(instruction);
}

}  // namespace

void ReadExtractElement(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand vector = record.ValueAndType();
  const TypedOperand index = record.ValueAndType();
  if (!vector.type->IsVector()) return body.Fail("an element of what is no vector");
  Instruction& instruction = body.Append(Opcode::kExtractElement, vector.type->element());
  body.SetOperands(instruction, vector.operand, index.operand);
  record.ExpectEnd();
}

void ReadInsertElement(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand vector = record.ValueAndType();
  const Operand element = record.Value();
  const TypedOperand index = record.ValueAndType();
  Instruction& instruction = body.Append(Opcode::kInsertElement, vector.type);
  body.SetOperands(instruction, vector.operand, element, index.operand);
  record.ExpectEnd();
}

void ReadShuffleVector(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand first = record.ValueAndType();
  const Operand second = record.Value();
  const TypedOperand mask = record.ValueAndType();
  if (!first.type->IsVector() || !mask.type->IsVector()) {
    return body.Fail("a shuffle of what is no vector");
  }
  if (!mask.operand.IsConstant()) return body.Fail("a shuffle whose mask is no constant");
  const Type* type = body.source().types().FindVector(first.type->element(), *mask.type);
  if (type == nullptr) return body.Refuse("a shuffle to a type that the module lacks");
  Instruction& instruction = body.Append(Opcode::kShuffleVector, type);
  body.SetOperands(instruction, first.operand, second, mask.operand);
  record.ExpectEnd();
}

void ReadExtractValue(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand aggregate = record.ValueAndType();
  const uint32_t first_target = body.target_count();
  const Type* type = ReadIndices(aggregate.type, record, body);
  Instruction& instruction = body.Append(Opcode::kExtractValue, type);
  body.AddOperand(aggregate.operand);
  TakeIndices(first_target, instruction, body);
}

void ReadInsertValue(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand aggregate = record.ValueAndType();
  const TypedOperand part = record.ValueAndType();
  const uint32_t first_target = body.target_count();
  ReadIndices(aggregate.type, record, body);
  Instruction& instruction = body.Append(Opcode::kInsertValue, aggregate.type);
  body.AddOperand(aggregate.operand);
  body.AddOperand(part.operand);
  TakeIndices(first_target, instruction, body);
}

}  // namespace firstcall::bitcode
