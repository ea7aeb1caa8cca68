// Edges between blocks, branches, switches, returns.

#include <algorithm>
#include <cstddef>

#include "absl/types/span.h"
#include "backend/baseline/lowering.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

using Combination = FlagTest::Combination;

// Fewer cases are compared one after the other; more make a table if that is at most four times as
// long.
constexpr ptrdiff_t kFewCases = 4;
constexpr uint64_t kTableSlack = 4;

// The place of `source` among the incoming blocks of `phi`. `guess` is tried first: the phis of a
// block usually list its predecessors in the same order. `source` must be one of the blocks.
size_t IncomingIndex(const ir::Function& function, const ir::Instruction& phi, uint32_t source,
                     size_t guess) {
  const absl::Span<const uint32_t> blocks = function.TargetsOf(phi);
  if (blocks[guess] == source) return guess;
  return static_cast<size_t>(std::find(blocks.begin(), blocks.end(), source) - blocks.begin());
}

}  // namespace

uint32_t Lowering::NewLabel() {
  labels_.push_back(kNone);
  return labels_.size() - 1;
}

void Lowering::Bind(uint32_t label) { labels_[label] = assembler_.size(); }

bool Lowering::IsNext(uint32_t block) const {
  return analysis_.order().NumberOf(block) == block_ + 1;
}

bool Lowering::EdgeHasMoves(uint32_t target) const {
  for (const ir::Instruction& phi : function_->InstructionsOf(function_->blocks[target])) {
    if (phi.opcode != ir::Opcode::kPhi) break;
    if (function_->values[phi.value].uses != 0) return true;
  }
  return false;
}

Move Lowering::SourceOf(ir::Operand value, unsigned part, const PartType& type) {
  Move move;
  move.is_vector = type.is_vector;
  move.bytes = type.is_vector ? type.bytes : std::max<uint8_t>(type.bytes, 4);
  if (const ir::Constant* constant = ConstantOf(value)) {
    move.source = Move::Source::kConstant;
    move.constant = constant;
    move.constant_part = part;
    return move;
  }
  const uint32_t number = NumberOf(value) + part;
  const ValuePart& place = analysis_.values()[number];
  move.from_memory = SlotOf(frame_, place);
  if (place.is_alloca) {
    move.source = Move::Source::kFrameAddress;
  } else if (place.reg != kNoRegister) {
    move.from = place.reg;
  } else {
    move.source = Move::Source::kMemory;
  }
  return move;
}

void Lowering::EmitMoves() {
  if (moves_.empty()) return;
  moves_.Emit(assembler_, [this](Register reg, const ir::Constant& constant, unsigned part) {
    Materialize(reg, constant, part);
  });
}

void Lowering::CollectEdgeMoves(uint32_t target) {
  const uint32_t source = analysis_.order().blocks()[block_].block;
  size_t index = 0;
  for (const ir::Instruction& phi : function_->InstructionsOf(function_->blocks[target])) {
    if (phi.opcode != ir::Opcode::kPhi) break;
    if (function_->values[phi.value].uses == 0) continue;
    index = IncomingIndex(*function_, phi, source, index);
    const ir::Operand value = OperandAt(phi, static_cast<unsigned>(index));
    if (value == ir::Operand::Value(phi.value)) continue;
    if (const ir::Constant* constant = ConstantOf(value); constant && constant->IsUndefined()) {
      continue;
    }
    const uint32_t number = NumberOf(phi);
    const unsigned parts = analysis_.values()[number].parts;
    for (unsigned i = 0; i < parts; ++i) {
      ValuePart& place = analysis_.values()[number + i];
      Move move = SourceOf(value, i, {place.is_vector, place.bytes, 0, false});
      if (place.is_fixed) {
        move.to = place.reg;
      } else {
        GiveSlot(frame_, place);
        move.to_memory = SlotOf(frame_, place);
      }
      moves_.Add(move);
    }
  }
}

void Lowering::EmitJump(uint32_t target) {
  if (!IsNext(target)) assembler_.Jmp(LabelOf(target));
}

void Lowering::EmitEdge(uint32_t target) {
  CollectEdgeMoves(target);
  EmitMoves();
  EmitJump(target);
}

// Counts the uses of values by phis of the successors.
void Lowering::CountDownEdges(const ir::Instruction& terminator) {
  for (uint32_t target : function_->TargetsOf(terminator)) {
    size_t index = 0;
    for (const ir::Instruction& phi : function_->InstructionsOf(function_->blocks[target])) {
      if (phi.opcode != ir::Opcode::kPhi) break;
      index = IncomingIndex(*function_, phi, terminator.block, index);
      CountDown(OperandAt(phi, static_cast<unsigned>(index)));
    }
  }
}

bool Lowering::KeepsRegisters(const ir::Instruction& terminator) const {
  if (terminator.opcode != ir::Opcode::kBr || terminator.target_count != 1) return false;
  return IsNext(function_->TargetsOf(terminator)[0]) &&
         analysis_.order().blocks()[block_ + 1].predecessors == 1;
}

void Lowering::SpillForEdges(const ir::Instruction& terminator) {
  if (!KeepsRegisters(terminator)) locations_.SpillLiveOut();
}

void Lowering::LowerBranch(const ir::Instruction& branch) {
  const absl::Span<const uint32_t> targets = function_->TargetsOf(branch);
  SpillForEdges(branch);
  if (targets.size() == 1 || targets[0] == targets[1]) return EmitEdge(targets[0]);
  const ir::Operand condition = OperandAt(branch, 0);
  if (const ir::Constant* constant = IntegerOf(condition)) {
    return EmitEdge(targets[constant->IsZero() ? 1 : 0]);
  }
  EmitConditional(EmitTest(condition), targets[0], targets[1]);
}

void Lowering::EmitConditional(FlagTest test, uint32_t if_true, uint32_t if_false) {
  if (test.combination == Combination::kBoth) {
    std::swap(if_true, if_false);
    test = {Negate(test.first), Negate(test.second), Combination::kEither};
  }
  if (test.combination == Combination::kOne && IsNext(if_true)) {
    std::swap(if_true, if_false);
    test.first = Negate(test.first);
  }
  const bool has_moves = EdgeHasMoves(if_true);
  if (!has_moves) {
    assembler_.Jcc(test.first, LabelOf(if_true));
    if (test.combination == Combination::kEither) assembler_.Jcc(test.second, LabelOf(if_true));
    return EmitEdge(if_false);
  }
  // The moves on the way to `if_true` stand here, and are jumped over.
  const uint32_t otherwise = NewLabel();
  if (test.combination == Combination::kEither) {
    const uint32_t take = NewLabel();
    assembler_.Jcc(test.first, take);
    assembler_.Jcc(Negate(test.second), otherwise);
    Bind(take);
  } else {
    assembler_.Jcc(Negate(test.first), otherwise);
  }
  CollectEdgeMoves(if_true);
  EmitMoves();
  assembler_.Jmp(LabelOf(if_true));
  Bind(otherwise);
  EmitEdge(if_false);
}

void Lowering::LowerSwitch(const ir::Instruction& instruction) {
  SpillForEdges(instruction);
  const unsigned bytes = OperationBytes(BitsOf(TypeAt(instruction, 0)));
  const Register condition = InExtended(OperandAt(instruction, 0), true, bytes);
  // Not later: what gives way to it is stored before the first branch.
  table_base_ = locations_.Temporary(false);
  // A place for each successor that needs moves.
  struct Edge {
    uint32_t target;
    uint32_t label;
  };
  std::vector<Edge> edges;
  const auto label_of = [&](uint32_t target) {
    if (!EdgeHasMoves(target)) return LabelOf(target);
    for (const Edge& edge : edges) {
      if (edge.target == target) return edge.label;
    }
    edges.push_back({target, NewLabel()});
    return edges.back().label;
  };
  cases_.clear();
  const absl::Span<const uint32_t> targets = function_->TargetsOf(instruction);
  for (unsigned i = 1; i < targets.size(); ++i) {
    const ir::Constant& value = function_->constant(OperandAt(instruction, i));
    cases_.push_back({static_cast<int64_t>(value.bits()), label_of(targets[i])});
  }
  const uint32_t otherwise = label_of(targets[0]);
  std::sort(cases_.begin(), cases_.end(),
            [](const Case& a, const Case& b) { return a.value < b.value; });
  EmitCases(condition, bytes, cases_.data(), cases_.data() + cases_.size(), otherwise);
  for (const Edge& edge : edges) {
    Bind(edge.label);
    CollectEdgeMoves(edge.target);
    EmitMoves();
    assembler_.Jmp(LabelOf(edge.target));
  }
}

void Lowering::EmitCases(Register value, unsigned bytes, const Case* begin, const Case* end,
                         uint32_t otherwise) {
  const auto compare = [&](int64_t constant) {
    if (constant == static_cast<int32_t>(constant)) {
      assembler_.AluRi(Alu::kCmp, bytes, value, static_cast<int32_t>(constant));
    } else {
      assembler_.MovImmediate(architecture_.scratch, static_cast<uint64_t>(constant), true);
      assembler_.AluRr(Alu::kCmp, bytes, value, architecture_.scratch);
    }
  };
  const ptrdiff_t count = end - begin;
  if (count <= kFewCases) {
    for (const Case* it = begin; it != end; ++it) {
      compare(it->value);
      assembler_.Jcc(Cond::kE, it->label);
    }
    assembler_.Jmp(otherwise);
    return;
  }
  const uint64_t range = static_cast<uint64_t>(end[-1].value) - static_cast<uint64_t>(begin->value);
  if (!is_protected_ && range / kTableSlack < static_cast<uint64_t>(count)) {
    return EmitJumpTable(value, bytes, begin, end, otherwise);
  }
  const Case* middle = begin + count / 2;
  const uint32_t upper = NewLabel();
  compare(middle->value);
  assembler_.Jcc(Cond::kGe, upper);
  EmitCases(value, bytes, begin, middle, otherwise);
  Bind(upper);
  EmitCases(value, bytes, middle, end, otherwise);
}

void Lowering::EmitJumpTable(Register value, unsigned bytes, const Case* begin, const Case* end,
                             uint32_t otherwise) {
  const int64_t first = begin->value;
  const Register number = architecture_.scratch;  // Of the entry, from 0.
  const uint64_t last = static_cast<uint64_t>(end[-1].value) - static_cast<uint64_t>(first);
  // The smallest number has no negative one: it wraps, as additions do.
  const auto negative = static_cast<int64_t>(0 - static_cast<uint64_t>(first));
  if (negative == static_cast<int32_t>(negative)) {
    const Mem index = Mem::At(value, static_cast<int32_t>(negative));
    bytes == 8 ? assembler_.Lea(number, index) : assembler_.Lea32(number, index);
  } else {
    assembler_.MovImmediate(number, static_cast<uint64_t>(negative), true);
    assembler_.AluRr(Alu::kAdd, bytes, number, value);
  }
  assembler_.AluRi(Alu::kCmp, bytes, number, static_cast<int32_t>(last));
  assembler_.Jcc(Cond::kA, otherwise);
  const uint32_t table = pool_.BeginTable();
  const Case* it = begin;
  for (uint64_t i = 0; i <= last; ++i) {
    const bool is_case = static_cast<uint64_t>(it->value) - static_cast<uint64_t>(first) == i;
    pool_.DistanceTo(is_case ? it->label : otherwise, table);
    if (is_case && it + 1 != end) ++it;
  }
  const Register base = table_base_;
  assembler_.Lea(base, Mem::Relative(RelativeTo::kPool, table));
  Mem entry = Mem::At(base);
  entry.index = number;
  entry.scale = 2;
  assembler_.LoadSigned(4, 8, number, entry);
  assembler_.AluRr(Alu::kAdd, 8, number, base);
  assembler_.JmpR(number);
}

void Lowering::LowerReturn(const ir::Instruction& instruction) {
  if (instruction.operand_count != 0) {
    const ir::Operand value = OperandAt(instruction, 0);
    const PartList list = PartsOf(TypeOf(value));
    const ir::AttributeSet& attributes = function_->attributes().result;
    const CallingConvention& convention =
        architecture_.ConventionOf(function_->global().convention);
    ResultPlaces places(convention);
    for (unsigned i = 0; i < list.count; ++i) {
      Move move = SourceOf(value, i, list.parts[i]);
      move.to = places.Next(list.parts[i].is_vector, list.parts[i].bytes);
      if (list.count == 1 && list.parts[i].bits < 64 && list.parts[i].bits != 32 &&
          !list.parts[i].is_vector) {
        move.is_signed = attributes.Has(ir::Attribute::kSExt);
        if (move.is_signed || attributes.Has(ir::Attribute::kZExt) ||
            (convention.extends_bits && list.parts[i].bits == 1)) {
          move.extended_bits = static_cast<uint8_t>(list.parts[i].bits);
        }
      }
      moves_.Add(move);
    }
    EmitMoves();
  } else if (result_address_ != 0) {
    assembler_.Load(8, architecture_.convention.general_results[0], frame_.At(result_address_));
  }
  if (error_place_ != 0) {
    assembler_.Load(8, architecture_.swift_error, frame_.At(error_place_));
  }
  EmitReturn();
}

uint32_t Lowering::AddressLabelOf(uint32_t block) {
  if (!EdgeHasMoves(block)) return LabelOf(block);
  if (address_labels_.empty()) address_labels_.resize(function_->blocks.size(), kNone);
  uint32_t& label = address_labels_[block];
  if (label == kNone) {
    label = NewLabel();
    unbound_labels_.push_back(label);
    unbound_labels_.push_back(LabelOf(block));
  }
  return label;
}

// There is one such branch in a function whose blocks with addresses have phis, so that the moves
// on its edges can stand behind it: the addresses are those of the moves.
void Lowering::LowerIndirectBranch(const ir::Instruction& branch) {
  locations_.SpillLiveOut();
  const Register address = In(OperandAt(branch, 0));
  assembler_.JmpR(address);
  for (uint32_t target : function_->TargetsOf(branch)) {
    if (!EdgeHasMoves(target)) continue;
    const uint32_t label = AddressLabelOf(target);
    if (labels_[label] != kNone) continue;  // The same target again.
    Bind(label);
    if (is_protected_) assembler_.LandingMark();
    CollectEdgeMoves(target);
    EmitMoves();
    assembler_.Jmp(LabelOf(target));
  }
}

}  // namespace firstcall::baseline
