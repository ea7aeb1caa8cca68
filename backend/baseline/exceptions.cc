// Invokes, landing pads, and the table by which the personality routine finds them: the
// language-specific data area of the Itanium C++ ABI, as libgcc's unwind-pe.h and libstdc++'s
// eh_personality.cc read it.

#include "absl/types/span.h"
#include "backend/baseline/dwarf.h"
#include "backend/baseline/leb128.h"
#include "backend/baseline/lowering.h"
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

void Lowering::LowerInvoke(const ir::Instruction& invoke) {
  const uint32_t normal = function_->TargetsOf(invoke)[0];
  const uint32_t unwind = function_->TargetsOf(invoke)[1];
  // All that lives on is stored before the call, because it survives it.
  const CallExtent extent = LowerCall(invoke);
  locations_.SpillLiveOut();
  const bool has_moves = EdgeHasMoves(unwind);
  const uint32_t label = has_moves ? NewLabel() : LabelOf(unwind);
  const ir::Instruction& pad = function_->FirstBehindPhis(function_->blocks[unwind]);
  call_sites_.push_back({extent.begin, extent.end, label, &pad});
  CollectEdgeMoves(normal);
  EmitMoves();
  if (!has_moves) return EmitJump(normal);
  assembler_.Jmp(LabelOf(normal));
  // Moves change only the scratch registers, and phis' own: the exception stays in its registers.
  Bind(label);
  if (is_protected_) assembler_.LandingMark();
  CollectEdgeMoves(unwind);
  EmitMoves();
  assembler_.Jmp(LabelOf(unwind));
}

void Lowering::LowerLandingPad(const ir::Instruction& pad) {
  const uint32_t number = NumberOf(pad);
  const Register* places = architecture_.exception;
  locations_.Claim(places[0]);
  locations_.Claim(places[1]);
  if (number == kNone) return;
  locations_.DefineIn(number, places[0]);
  locations_.DefineIn(number + 1, places[1]);
}

void Lowering::LowerResume(const ir::Instruction& resume) {
  Move move = SourceOf(OperandAt(resume, 0), 0, {false, 8, 64, false});
  move.to = architecture_.convention.general[0];
  moves_.Add(move);
  Callee callee;
  callee.library_function = "_Unwind_Resume";
  EmitCall(callee, ArgumentPlaces(architecture_.convention));
  assembler_.Trap();
}

// The number by which a landing pad will be told that the exception is of the type.
void Lowering::LowerTypeNumber(const ir::Instruction& intrinsic) {
  Types types(exception_types_, function_->all_constants());
  const int64_t number = types.NumberOf(OperandAt(intrinsic, 0));
  assembler_.MovImmediate(Define(intrinsic), number, true);
}

uint32_t Lowering::WriteExceptionTable(uint32_t begin) {
  SymbolOf(PersonalityOf(*function_));
  Types types(exception_types_, function_->all_constants());
  CodeBuffer actions, sites;
  const auto append_site = [&](uint32_t from, uint32_t to, uint32_t pad, uint32_t action) {
    sites.Number(from - begin, 4);
    sites.Number(to - from, 4);
    sites.Number(pad, 4);
    sites.Unsigned(action);
  };
  // Calls outside of all sites would end the program, so the sites cover everything.
  uint32_t at = begin;
  for (const CallSite& site : call_sites_) {
    if (at != site.begin) append_site(at, site.begin, 0, 0);
    append_site(site.begin, site.end, labels_[site.label] - begin,
                AppendActions(*site.pad, function_->OperandsOf(*site.pad),
                              function_->TargetsOf(*site.pad), types, actions));
    at = site.end;
  }
  if (at != assembler_.size()) append_site(at, assembler_.size(), 0, 0);

  CodeBuffer& out = pool_.bytes();
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
    const ir::Constant* type = ConstantOf(types.types()[i]);
    const ConstantPart part = type == nullptr ? ConstantPart() : PartOf(*type, 0);
    if (part.kind == ConstantPart::Kind::kAddress) {
      pool_.AddressOf(SymbolOf(part.global), static_cast<int64_t>(part.low));
    } else {
      out.Number(0, 8);
    }
  }
  out.Bytes(types.filters().data(), types.filters().size());
  return table;
}

}  // namespace firstcall::baseline
