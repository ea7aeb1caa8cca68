#include "backend/baseline/control_flow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "backend/baseline/argument_places.h"
#include "backend/baseline/comparisons.h"
#include "backend/baseline/edges.h"
#include "backend/baseline/moves.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"
#include "ir/attributes.h"

namespace firstcall::baseline {
namespace {

using Combination = FlagTest::Combination;

// Fewer cases are compared one after the other; more make a table if that is at most four times as
// long.
constexpr ptrdiff_t kFewCases = 4;
constexpr uint64_t kTableSlack = 4;

struct Case {
  int64_t value;
  uint32_t label;
};

// What a switch tests, and where it goes if no case holds.
struct Tested {
  Register value;
  unsigned bytes;
  Register table_base;  // A register that jump tables may use.
  uint32_t otherwise;   // A label.
};

// Stores what the targets need and find only in the frame.
void SpillForEdges(FunctionCode& code, const ir::Instruction& terminator) {
  if (!KeepsRegisters(code, terminator)) return code.locations.SpillLiveOut();
  for (uint32_t target : code.function->TargetsOf(terminator)) {
    if (!IsNext(code, target)) code.locations.SpillLiveInto(LabelOf(code, target));
  }
}

void EmitConditional(FunctionCode& code, FlagTest test, uint32_t if_true, uint32_t if_false) {
  if (test.combination == Combination::kBoth) {
    std::swap(if_true, if_false);
    test = {Negate(test.first), Negate(test.second), Combination::kEither};
  }
  if (test.combination == Combination::kOne && IsNext(code, if_true)) {
    std::swap(if_true, if_false);
    test.first = Negate(test.first);
  }
  const bool has_moves = EdgeHasMoves(code, if_true);
  if (!has_moves) {
    code.assembler.Jcc(test.first, LabelOf(code, if_true));
    if (test.combination == Combination::kEither) {
      code.assembler.Jcc(test.second, LabelOf(code, if_true));
    }
    return EmitEdge(code, if_false);
  }
  // The moves on the way to `if_true` stand here, and are jumped over.
  const uint32_t otherwise = code.labels.New();
  if (test.combination == Combination::kEither) {
    const uint32_t take = code.labels.New();
    code.assembler.Jcc(test.first, take);
    code.assembler.Jcc(Negate(test.second), otherwise);
    code.labels.Bind(take);
  } else {
    code.assembler.Jcc(Negate(test.first), otherwise);
  }
  CollectEdgeMoves(code, if_true);
  EmitMoves(code);
  code.assembler.Jmp(LabelOf(code, if_true));
  code.labels.Bind(otherwise);
  EmitEdge(code, if_false);
}

void EmitJumpTable(FunctionCode& code, const Tested& tested, const Case* begin, const Case* end) {
  const Register value = tested.value;
  const unsigned bytes = tested.bytes;
  const int64_t first = begin->value;
  const Register number = code.architecture.scratch;  // Of the entry, from 0.
  const uint64_t last = static_cast<uint64_t>(end[-1].value) - static_cast<uint64_t>(first);
  // The smallest number has no negative one: it wraps, as additions do.
  const auto negative = static_cast<int64_t>(0 - static_cast<uint64_t>(first));
  if (negative == static_cast<int32_t>(negative)) {
    const Mem index = Mem::At(value, static_cast<int32_t>(negative));
    bytes == 8 ? code.assembler.Lea(number, index) : code.assembler.Lea32(number, index);
  } else {
    code.assembler.MovImmediate(number, static_cast<uint64_t>(negative), true);
    code.assembler.AluRr(Alu::kAdd, bytes, number, value);
  }
  code.assembler.AluRi(Alu::kCmp, bytes, number, static_cast<int32_t>(last));
  code.assembler.Jcc(Cond::kA, tested.otherwise);
  const uint32_t table = code.pool.BeginTable();
  const Case* it = begin;
  for (uint64_t i = 0; i <= last; ++i) {
    const bool is_case = static_cast<uint64_t>(it->value) - static_cast<uint64_t>(first) == i;
    code.pool.DistanceTo(is_case ? it->label : tested.otherwise, table);
    if (is_case && it + 1 != end) ++it;
  }
  const Register base = tested.table_base;
  code.assembler.Lea(base, Mem::Relative(RelativeTo::kPool, table));
  Mem entry = Mem::At(base);
  entry.index = number;
  entry.scale = 2;
  code.assembler.LoadSigned(4, 8, number, entry);
  code.assembler.AluRr(Alu::kAdd, 8, number, base);
  code.assembler.JmpR(number);
}

void EmitCases(FunctionCode& code, const Tested& tested, const Case* begin, const Case* end) {
  const Register value = tested.value;
  const unsigned bytes = tested.bytes;
  const auto compare = [&](int64_t constant) {
    if (constant == static_cast<int32_t>(constant)) {
      code.assembler.AluRi(Alu::kCmp, bytes, value, static_cast<int32_t>(constant));
    } else {
      code.assembler.MovImmediate(code.architecture.scratch, static_cast<uint64_t>(constant), true);
      code.assembler.AluRr(Alu::kCmp, bytes, value, code.architecture.scratch);
    }
  };
  const ptrdiff_t count = end - begin;
  if (count <= kFewCases) {
    for (const Case* it = begin; it != end; ++it) {
      compare(it->value);
      code.assembler.Jcc(Cond::kE, it->label);
    }
    code.assembler.Jmp(tested.otherwise);
    return;
  }
  const uint64_t range = static_cast<uint64_t>(end[-1].value) - static_cast<uint64_t>(begin->value);
  if (!code.native.frame.is_protected() && range / kTableSlack < static_cast<uint64_t>(count)) {
    return EmitJumpTable(code, tested, begin, end);
  }
  const Case* middle = begin + count / 2;
  const uint32_t upper = code.labels.New();
  compare(middle->value);
  code.assembler.Jcc(Cond::kGe, upper);
  EmitCases(code, tested, begin, middle);
  code.labels.Bind(upper);
  EmitCases(code, tested, middle, end);
}

}  // namespace

void LowerBranch(FunctionCode& code, const ir::Instruction& branch) {
  const absl::Span<const uint32_t> targets = code.function->TargetsOf(branch);
  SpillForEdges(code, branch);
  if (targets.size() == 1 || targets[0] == targets[1]) return EmitEdge(code, targets[0]);
  const ir::Operand condition = OperandAt(code, branch, 0);
  if (const ir::Constant* constant = IntegerOf(code, condition)) {
    return EmitEdge(code, targets[constant->IsZero() ? 1 : 0]);
  }
  EmitConditional(code, EmitTest(code, condition), targets[0], targets[1]);
}

void LowerSwitch(FunctionCode& code, const ir::Instruction& instruction) {
  SpillForEdges(code, instruction);
  const unsigned bytes = OperationBytes(BitsOf(TypeAt(code, instruction, 0)));
  const Register condition = InExtended(code, OperandAt(code, instruction, 0), true, bytes);
  // Not later: what gives way to it is stored before the first branch.
  const Register table_base = code.locations.Temporary(false);
  // A place for each successor that needs moves.
  struct Edge {
    uint32_t target;
    uint32_t label;
  };
  std::vector<Edge> edges;
  const auto label_of = [&](uint32_t target) {
    if (!EdgeHasMoves(code, target)) return LabelOf(code, target);
    for (const Edge& edge : edges) {
      if (edge.target == target) return edge.label;
    }
    edges.push_back({target, code.labels.New()});
    return edges.back().label;
  };
  absl::InlinedVector<Case, 32> cases;
  const absl::Span<const uint32_t> targets = code.function->TargetsOf(instruction);
  for (unsigned i = 1; i < targets.size(); ++i) {
    const ir::Constant& value = code.function->constant(OperandAt(code, instruction, i));
    cases.push_back({static_cast<int64_t>(value.bits()), label_of(targets[i])});
  }
  const uint32_t otherwise = label_of(targets[0]);
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.value < b.value; });
  EmitCases(code, {condition, bytes, table_base, otherwise}, cases.data(),
            cases.data() + cases.size());
  for (const Edge& edge : edges) {
    code.labels.Bind(edge.label);
    CollectEdgeMoves(code, edge.target);
    EmitMoves(code);
    code.assembler.Jmp(LabelOf(code, edge.target));
  }
}

// There is one such branch in a function whose blocks with addresses have phis, so that the moves
// on its edges can stand behind it: the addresses are those of the moves.
void LowerIndirectBranch(FunctionCode& code, const ir::Instruction& branch) {
  code.locations.SpillLiveOut();
  const Register address = In(code, OperandAt(code, branch, 0));
  code.assembler.JmpR(address);
  for (uint32_t target : code.function->TargetsOf(branch)) {
    if (!EdgeHasMoves(code, target)) continue;
    const uint32_t label = AddressLabelOf(code, target);
    if (code.labels.IsBound(label)) continue;  // The same target again.
    code.labels.Bind(label);
    if (code.native.frame.is_protected()) code.assembler.LandingMark();
    CollectEdgeMoves(code, target);
    EmitMoves(code);
    code.assembler.Jmp(LabelOf(code, target));
  }
}

void LoadResultAddress(FunctionCode& code) {
  if (code.parameters.result_address == 0) return;
  code.assembler.Load(8, code.architecture.convention.general_results[0],
                      code.frame.At(code.parameters.result_address));
}

void LowerReturn(FunctionCode& code, const ir::Instruction& instruction) {
  if (instruction.operand_count != 0 && IsLongDouble(TypeAt(code, instruction, 0))) {
    code.native.floats.ReturnLongDouble(code, OperandAt(code, instruction, 0));
  } else if (instruction.operand_count != 0) {
    const ir::Operand value = OperandAt(code, instruction, 0);
    const PartList list = PartsOf(TypeOf(code, value));
    const ir::AttributeSet& attributes = code.function->attributes().result;
    const CallingConvention& convention =
        code.architecture.ConventionOf(code.function->global().convention());
    ResultPlaces places(convention);
    for (unsigned i = 0; i < list.count; ++i) {
      Move move = SourceOf(code, value, i, list.parts[i]);
      move.to = places.Next(list.parts[i].is_vector, list.parts[i].bytes);
      if (list.count == 1 && list.parts[i].bits < 64 && list.parts[i].bits != 32 &&
          !list.parts[i].is_vector) {
        move.is_signed = attributes.Has(ir::Attribute::kSExt);
        if (move.is_signed || attributes.Has(ir::Attribute::kZExt) ||
            (convention.extends_bits && list.parts[i].bits == 1)) {
          move.extended_bits = static_cast<uint8_t>(list.parts[i].bits);
        }
      }
      code.moves.Add(move);
    }
    EmitMoves(code);
  }
  LoadResultAddress(code);
  if (code.parameters.error_place != 0) {
    code.assembler.Load(8, code.architecture.swift.error,
                        code.frame.At(code.parameters.error_place));
  }
  code.native.frame.EmitReturn(code);
}

}  // namespace firstcall::baseline
