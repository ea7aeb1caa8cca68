#include "backend/baseline/aggregates.h"

#include <cstdint>

#include "absl/types/span.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"

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

void CopyPart(FunctionCode& code, const ir::Instruction& result, unsigned result_part,
              ir::Operand from, unsigned from_part) {
  const ir::Constant* constant = ConstantOf(code, from);
  if (constant != nullptr && constant->IsUndefined()) {
    Define(code, result, result_part);
  } else {
    DefineFrom(code, result, from, result_part, from_part);
  }
  code.locations.registers().UnpinAll();
}

void LowerExtractValue(FunctionCode& code, const ir::Instruction& extract) {
  const ir::Operand aggregate = OperandAt(code, extract, 0);
  const unsigned first = PartsBefore(TypeOf(code, aggregate), code.function->TargetsOf(extract));
  const unsigned count = code.facts.values[NumberOf(code, extract)].parts;
  for (unsigned i = 0; i < count; ++i) CopyPart(code, extract, i, aggregate, first + i);
}

void LowerInsertValue(FunctionCode& code, const ir::Instruction& insert) {
  const ir::Operand aggregate = OperandAt(code, insert, 0);
  const ir::Operand member = OperandAt(code, insert, 1);
  const unsigned first = PartsBefore(insert.type, code.function->TargetsOf(insert));
  const unsigned members = PartCount(TypeOf(code, member));
  const unsigned count = code.facts.values[NumberOf(code, insert)].parts;
  for (unsigned i = 0; i < count; ++i) {
    if (i >= first && i < first + members) {
      CopyPart(code, insert, i, member, i - first);
    } else {
      CopyPart(code, insert, i, aggregate, i);
    }
  }
}

void LowerFreeze(FunctionCode& code, const ir::Instruction& freeze) {
  const unsigned count = code.facts.values[NumberOf(code, freeze)].parts;
  for (unsigned i = 0; i < count; ++i) CopyPart(code, freeze, i, OperandAt(code, freeze, 0), i);
}

}  // namespace firstcall::baseline
