#include "backend/baseline/exceptions.h"

#include <cstddef>

#include "absl/types/span.h"
#include "backend/baseline/calls.h"
#include "backend/baseline/dwarf.h"
#include "backend/baseline/edges.h"
#include "backend/baseline/leb128.h"
#include "backend/baseline/moves.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/personality.h"

namespace firstcall::baseline {
namespace {

// Types are numbered from 1 in the order in which they are first named; lists of types that may
// be thrown by the place of their first byte, from -1 down.
class Types {
 public:
  // `types`: the types that have numbers, without casts; nothing is the null pointer.
  Types(std::vector<ir::Operand>& types, const ir::Constants& constants)
      : types_(types), constants_(constants) {}

  int64_t NumberOf(ir::Operand type) {
    type = WithoutCasts(type, constants_);
    if (type.IsConstant()) {
      const ir::Constant& constant = constants_[type];
      if (constant.IsZero() || constant.IsUndefined()) type = ir::Operand();
    }
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_[i] == type) return i + 1;
    }
    types_.push_back(type);
    return types_.size();
  }

  // `filter` is an array.
  int64_t NumberOfFilter(ir::Operand filter) {
    const int64_t number = -1 - static_cast<int64_t>(filters_.size());
    const ir::Constant& list = constants_[filter];
    for (ir::Operand type : list.operands()) filters_.Unsigned(NumberOf(type));
    // The elements of another array, however many, are null pointers.
    if (list.operands().empty() && list.type->count != 0) {
      filters_.Unsigned(NumberOf(ir::Operand()));
    }
    filters_.Number(0, 1);
    return number;
  }

  const std::vector<ir::Operand>& types() const { return types_; }
  const CodeBuffer& filters() const { return filters_; }

 private:
  std::vector<ir::Operand>& types_;
  const ir::Constants constants_;
  CodeBuffer filters_;
};

// Appends the records of a landing pad, which has `clauses` of `kinds` (ir/instruction.h), each
// followed by the next; returns the number by which call sites refer to the first.
uint32_t AppendActions(const ir::Instruction& pad, absl::Span<const ir::Operand> clauses,
                       absl::Span<const uint32_t> kinds, Types& types, CodeBuffer& actions) {
  if (clauses.empty()) return 0;
  const size_t count = clauses.size() + (pad.is_cleanup ? 1 : 0);
  const uint32_t first = actions.size() + 1;
  for (size_t i = 0; i < count; ++i) {
    int64_t number = 0;  // A cleanup.
    if (i < clauses.size()) {
      const bool is_catch = kinds[i] == 0;
      number = is_catch ? types.NumberOf(clauses[i]) : types.NumberOfFilter(clauses[i]);
    }
    actions.Signed(number);
    actions.Signed(i + 1 < count ? 1 : 0);
  }
  return first;
}

}  // namespace

void LowerInvoke(FunctionCode& code, const ir::Instruction& invoke) {
  const uint32_t normal = code.function->TargetsOf(invoke)[0];
  const uint32_t unwind = code.function->TargetsOf(invoke)[1];
  // All that lives on is stored before the call, because it survives it.
  const CallExtent extent = LowerCall(code, invoke);
  code.locations.SpillLiveOut();
  const bool has_moves = EdgeHasMoves(code, unwind);
  const uint32_t label = has_moves ? code.labels.New() : LabelOf(code, unwind);
  const ir::Instruction& pad = code.function->FirstBehindPhis(code.function->blocks[unwind]);
  code.exceptions.call_sites.push_back({extent.begin, extent.end, label, &pad});
  CollectEdgeMoves(code, normal);
  EmitMoves(code);
  if (!has_moves) return EmitJump(code, normal);
  code.assembler.Jmp(LabelOf(code, normal));
  // Moves change only the scratch registers, and phis' own: the exception stays in its registers.
  code.labels.Bind(label);
  if (code.native.frame.is_protected()) code.assembler.LandingMark();
  CollectEdgeMoves(code, unwind);
  EmitMoves(code);
  code.assembler.Jmp(LabelOf(code, unwind));
}

void LowerLandingPad(FunctionCode& code, const ir::Instruction& pad) {
  const uint32_t number = NumberOf(code, pad);
  const Register* places = code.architecture.exception;
  code.locations.Claim(places[0]);
  code.locations.Claim(places[1]);
  if (code.stack_pointer_place != 0) {
    const Register scratch = code.architecture.scratch;
    code.assembler.Load(8, scratch, code.frame.At(code.stack_pointer_place));
    code.assembler.Mov(8, code.architecture.stack_pointer, scratch);
  }
  if (number == kNone) return;
  code.locations.DefineIn(number, places[0]);
  code.locations.DefineIn(number + 1, places[1]);
}

void LowerResume(FunctionCode& code, const ir::Instruction& resume) {
  Move move = SourceOf(code, OperandAt(code, resume, 0), 0, {false, 8, 64, false});
  move.to = code.architecture.convention.general[0];
  code.moves.Add(move);
  Callee callee;
  callee.library_function = "_Unwind_Resume";
  EmitCall(code, callee, ArgumentPlaces(code.architecture.convention));
  code.assembler.Trap();
}

void LowerTypeNumber(FunctionCode& code, const ir::Instruction& intrinsic) {
  Types types(code.exceptions.types, code.function->all_constants());
  const int64_t number = types.NumberOf(OperandAt(code, intrinsic, 0));
  code.assembler.MovImmediate(Define(code, intrinsic), number, true);
}

uint32_t WriteExceptionTable(FunctionCode& code, uint32_t begin) {
  code.symbols.NumberOf(PersonalityOf(*code.function));
  Types types(code.exceptions.types, code.function->all_constants());
  CodeBuffer actions, sites;
  const auto append_site = [&](uint32_t from, uint32_t to, uint32_t pad, uint32_t action) {
    sites.Number(from - begin, 4);
    sites.Number(to - from, 4);
    sites.Number(pad, 4);
    sites.Unsigned(action);
  };
  // Calls outside of all sites would end the program, so the sites cover everything.
  uint32_t at = begin;
  for (const ExceptionTable::CallSite& site : code.exceptions.call_sites) {
    if (at != site.begin) append_site(at, site.begin, 0, 0);
    append_site(site.begin, site.end, code.labels.offsets()[site.label] - begin,
                AppendActions(*site.pad, code.function->OperandsOf(*site.pad),
                              code.function->TargetsOf(*site.pad), types, actions));
    at = site.end;
  }
  if (at != code.assembler.size()) append_site(at, code.assembler.size(), 0, 0);

  CodeBuffer& out = code.pool.bytes();
  out.Align(8, 0);
  const uint32_t table = out.size();
  out.Number(dwarf::kOmitted, 1);  // Landing pads are relative to the function.
  const size_t fixed_size = 1 + UnsignedLeb128Size(sites.size()) + sites.size() + actions.size();
  if (types.types().empty() && types.filters().size() == 0) {
    out.Number(dwarf::kOmitted, 1);
  } else {
    out.Number(dwarf::kAbsolutePointer, 1);
    // The distance from behind itself to the end of the types, padded for them to be aligned.
    const size_t after = out.size() + 4;
    const size_t types_begin = (after + fixed_size + 7) & ~size_t{7};
    const size_t distance = types_begin + 8 * types.types().size() - after;
    for (unsigned i = 0; i < 3; ++i) out.Number((distance >> (7 * i) & 0x7f) | 0x80, 1);
    out.Number(distance >> 21, 1);
  }
  out.Number(dwarf::kUnsigned4, 1);
  out.Unsigned(sites.size());
  out.Bytes(sites.data(), sites.size());
  out.Bytes(actions.data(), actions.size());
  if (types.types().empty() && types.filters().size() == 0) return table;
  out.Align(8, 0);
  for (size_t i = types.types().size(); i-- > 0;) {
    const ir::Constant* type = ConstantOf(code, types.types()[i]);
    const ConstantPart part = type == nullptr ? ConstantPart() : PartOf(code, *type, 0);
    if (part.kind == ConstantPart::Kind::kAddress) {
      code.pool.AddressOf(code.symbols.NumberOf(part.global), static_cast<int64_t>(part.low));
    } else {
      out.Number(0, 8);
    }
  }
  out.Bytes(types.filters().data(), types.filters().size());
  return table;
}

}  // namespace firstcall::baseline
