// Structures and arrays as values: their parts are values of their own.

#include <cstdint>

#include "absl/types/span.h"
#include "backend/baseline/lowering.h"

namespace firstcall::baseline {
namespace {

// The number of parts before the member that `indices` name.
unsigned PartsBefore(const ir::Type* type, absl::Span<const uint32_t> indices) {
  unsigned parts = 0;
  for (uint32_t index : indices) {
    if (type->IsStruct()) {
      for (uint32_t i = 0; i < index; ++i) parts += PartCount(type->members()[i]);
      type = type->members()[index];
    } else {
      type = type->element();
      parts += index * PartCount(type);
    }
  }
  return parts;
}

}  // namespace

// Parts are copied one after the other, and none is kept in a register for the next.
void Lowering::CopyPart(const ir::Instruction& result, unsigned result_part, ir::Operand from,
                        unsigned from_part) {
  const ir::Constant* constant = ConstantOf(from);
  if (constant != nullptr && constant->IsUndefined()) {
    Define(result, result_part);
  } else {
    DefineFrom(result, from, result_part, from_part);
  }
  locations_.registers().UnpinAll();
}

void Lowering::LowerExtractValue(const ir::Instruction& extract) {
  const ir::Operand aggregate = OperandAt(extract, 0);
  const unsigned first = PartsBefore(TypeOf(aggregate), function_->TargetsOf(extract));
  const unsigned count = analysis_.values()[NumberOf(extract)].parts;
  for (unsigned i = 0; i < count; ++i) CopyPart(extract, i, aggregate, first + i);
}

void Lowering::LowerInsertValue(const ir::Instruction& insert) {
  const ir::Operand aggregate = OperandAt(insert, 0);
  const ir::Operand member = OperandAt(insert, 1);
  const unsigned first = PartsBefore(insert.type, function_->TargetsOf(insert));
  const unsigned members = PartCount(TypeOf(member));
  const unsigned count = analysis_.values()[NumberOf(insert)].parts;
  for (unsigned i = 0; i < count; ++i) {
    if (i >= first && i < first + members) {
      CopyPart(insert, i, member, i - first);
    } else {
      CopyPart(insert, i, aggregate, i);
    }
  }
}

}  // namespace firstcall::baseline
