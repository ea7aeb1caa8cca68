#include "backend/baseline/expansion_writer.h"

#include "ir/constant.h"

namespace firstcall::baseline {

using ir::Opcode;
using Source = ExpansionWriter::Source;

Source ExpansionWriter::Add(Opcode opcode, const ir::Type* type, absl::Span<const Source> operands,
                            uint8_t code) {
  rewriter_.Add(opcode, type).code = code;
  for (const Source& source : operands) {
    if (source.is_old) {
      rewriter_.AddOldOperand(source.operand);
    } else {
      rewriter_.AddOperand(source.operand);
    }
  }
  return {type->IsVoid() ? ir::Operand() : rewriter_.Result()};
}

Source ExpansionWriter::Call(const ir::Instruction& call, const ir::Type* type,
                             absl::Span<const Source> arguments) {
  const ir::Call properties = function_->CallOf(call);
  const ir::Operand callee = function_->CalleeOf(call);
  const Source result = Add(Opcode::kCall, type, arguments);
  rewriter_.CompleteCall(properties.function_type, properties.attributes, callee);
  return result;
}

Source ExpansionWriter::Integer(const ir::Type* type, uint64_t bits) {
  const unsigned above = 64 - type->number;
  // An integer's bits are sign-extended.
  return {rewriter_.AddInteger(
      type, static_cast<uint64_t>(static_cast<int64_t>(bits << above) >> above))};
}

Source ExpansionWriter::Float(const ir::Type* type, uint64_t bits) {
  ir::Constant constant;
  constant.kind = ir::ConstantKind::kFloat;
  constant.type = type;
  constant.set_bits(bits);
  return {rewriter_.AddConstant(constant)};
}

Source ExpansionWriter::Undefined(const ir::Type* type) {
  ir::Constant constant;
  constant.kind = ir::ConstantKind::kPoison;
  constant.type = type;
  return {rewriter_.AddConstant(constant)};
}

Source ExpansionWriter::ExtractLane(const Source& vector, uint64_t lane) {
  return Add(Opcode::kExtractElement, TypeOf(vector)->element(),
             {vector, Integer(types_.Integer(32), lane)});
}

Source ExpansionWriter::InsertLane(const Source& vector, const Source& value, uint64_t lane) {
  return Add(Opcode::kInsertElement, TypeOf(vector),
             {vector, value, Integer(types_.Integer(32), lane)});
}

}  // namespace firstcall::baseline
