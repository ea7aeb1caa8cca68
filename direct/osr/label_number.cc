#include "direct/osr/label_number.h"

#include "direct/osr/poll_types.h"
#include "ir/body_rewriter.h"
#include "ir/instruction.h"
#include "ir/opcode.h"

namespace firstcall::direct {
namespace {

using ir::Opcode;

// The values of block `look`, in their order.
enum LookValue : uint32_t {
  kIndex,
  kNumber,
  kMatches,
  kPlace,
  kTarget,
  kIsIt,
  kNextNumber,
  kWideIsIt,
  kNextMatches,
  kNextIndex
};

}  // namespace

ir::Operand WriteLabelNumber(InstructionWriter& writer, const LabelTable& table, ir::Operand label,
                             uint32_t before, uint32_t otherwise) {
  ir::BodyRewriter& rewriter = writer.rewriter();
  const PollTypes& types = writer.types();
  const uint32_t look = before + 1, end = before + 2, found = before + 3;
  writer.Jump(look);
  rewriter.EndBlock();

  writer.BeginBlock();
  uint32_t first = ir::kNone;  // The number of kIndex. Phis have operands that come later.
  const auto value = [&](LookValue value) { return ir::Operand::Value(first + value); };
  const auto count_from_zero = [&](LookValue next) {
    rewriter.Add(Opcode::kPhi, types.word());
    if (first == ir::kNone) first = rewriter.Result().number();
    rewriter.AddOperand(writer.zero());
    rewriter.AddOperand(value(next));
    rewriter.AddTarget(before);
    rewriter.AddTarget(look);
  };
  count_from_zero(kNextIndex);
  count_from_zero(kNextNumber);
  count_from_zero(kNextMatches);
  ir::Instruction& place = rewriter.Add(Opcode::kGetElementPtr, types.pointer());
  place.source_type = table.type;
  place.is_inbounds = true;
  for (ir::Operand operand : {table.address, writer.zero(), value(kIndex)}) {
    rewriter.AddOperand(operand);
  }
  writer.Load(types.pointer(), value(kPlace));
  writer.Compare(ir::Predicate::kIcmpEq, value(kTarget), label);
  rewriter.Add(Opcode::kSelect, types.word());
  for (LookValue operand : {kIsIt, kIndex, kNumber}) rewriter.AddOperand(value(operand));
  rewriter.Add(Opcode::kZExt, types.word());
  rewriter.AddOperand(value(kIsIt));
  writer.Binary(Opcode::kAdd, value(kMatches), value(kWideIsIt));
  writer.Binary(Opcode::kAdd, value(kIndex), writer.one());
  const ir::Operand count = rewriter.AddInteger(types.word(), table.type->count);
  writer.Branch(writer.Compare(ir::Predicate::kIcmpUlt, value(kNextIndex), count), look, end);
  rewriter.EndBlock();

  writer.BeginBlock();
  writer.Branch(writer.Compare(ir::Predicate::kIcmpEq, value(kNextMatches), writer.one()), found,
                otherwise);
  rewriter.EndBlock();
  writer.BeginBlock();
  return value(kNextNumber);
}

}  // namespace firstcall::direct
