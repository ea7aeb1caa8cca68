// Invokes, landing pads, and the table by which the personality routine finds them: the
// language-specific data area of the Itanium C++ ABI, as libgcc's unwind-pe.h and libstdc++'s
// eh_personality.cc read it.

#include "backend/baseline/lowering.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/LEB128.h"

namespace firstcall::baseline {
namespace {

// Types are numbered from 1 in the order in which they are first named; lists of types that may
// be thrown by the place of their first byte, from -1 down.
class Types {
 public:
  explicit Types(std::vector<const llvm::Constant*>& types) : types_(types) {}

  int64_t NumberOf(const llvm::Constant* type) {
    type = llvm::cast<llvm::Constant>(type->stripPointerCasts());
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_[i] == type) return i + 1;
    }
    types_.push_back(type);
    return types_.size();
  }

  int64_t NumberOfFilter(const llvm::Constant* filter) {
    const int64_t number = -1 - static_cast<int64_t>(filters_.size());
    const unsigned count = llvm::cast<llvm::ArrayType>(filter->getType())->getNumElements();
    for (unsigned i = 0; i < count; ++i)
      filters_.Unsigned(NumberOf(filter->getAggregateElement(i)));
    filters_.Number(0, 1);
    return number;
  }

  const std::vector<const llvm::Constant*>& types() const { return types_; }
  const CodeBuffer& filters() const { return filters_; }

 private:
  std::vector<const llvm::Constant*>& types_;
  CodeBuffer filters_;
};

// Appends the records of a landing pad, each followed by the next; returns the number by which call
// sites refer to the first.
uint32_t AppendActions(const llvm::LandingPadInst& pad, Types& types, CodeBuffer& actions) {
  const unsigned count = pad.getNumClauses() + (pad.isCleanup() ? 1 : 0);
  if (pad.getNumClauses() == 0) return 0;
  const uint32_t first = actions.size() + 1;
  for (unsigned i = 0; i < count; ++i) {
    int64_t number = 0;  // A cleanup.
    if (i < pad.getNumClauses()) {
      number = pad.isCatch(i) ? types.NumberOf(pad.getClause(i))
                              : types.NumberOfFilter(pad.getClause(i));
    }
    actions.Signed(number);
    actions.Signed(i + 1 < count ? 1 : 0);
  }
  return first;
}

}  // namespace

void Lowering::LowerInvoke(const llvm::InvokeInst& invoke) {
  const llvm::BasicBlock* normal = invoke.getNormalDest();
  const llvm::BasicBlock* unwind = invoke.getUnwindDest();
  // All that lives on is stored before the call, because it survives it.
  const CallExtent extent = LowerCall(invoke);
  locations_.SpillLiveOut();
  const bool has_moves = EdgeHasMoves(unwind);
  const uint32_t label = has_moves ? NewLabel() : LabelOf(unwind);
  call_sites_.push_back({extent.begin, extent.end, label, unwind->getLandingPadInst()});
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

void Lowering::LowerLandingPad(const llvm::LandingPadInst& pad) {
  const uint32_t number = NumberOf(&pad);
  const Register* places = architecture_.exception;
  locations_.Claim(places[0]);
  locations_.Claim(places[1]);
  if (number == PointerMap::kMissing) return;
  locations_.DefineIn(number, places[0]);
  locations_.DefineIn(number + 1, places[1]);
}

void Lowering::LowerResume(const llvm::ResumeInst& resume) {
  Move move = SourceOf(resume.getValue(), 0, {false, 8, 64, false});
  move.to = architecture_.convention.general[0];
  moves_.Add(move);
  Callee callee;
  callee.library_function = "_Unwind_Resume";
  EmitCall(callee, ArgumentPlaces(architecture_.convention));
  assembler_.Trap();
}

// The number by which a landing pad will be told that the exception is of the type.
void Lowering::LowerTypeNumber(const llvm::IntrinsicInst& intrinsic) {
  const auto* type = llvm::cast<llvm::Constant>(intrinsic.getArgOperand(0));
  assembler_.MovImmediate(Define(intrinsic), Types(exception_types_).NumberOf(type), true);
}

uint32_t Lowering::WriteExceptionTable(uint32_t begin) {
  SymbolOf(llvm::cast<llvm::GlobalValue>(function_->getPersonalityFn()->stripPointerCasts()));
  Types types(exception_types_);
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
                AppendActions(*site.pad, types, actions));
    at = site.end;
  }
  if (at != assembler_.size()) append_site(at, assembler_.size(), 0, 0);

  CodeBuffer& out = pool_.bytes();
  out.Align(8, 0);
  const uint32_t table = out.size();
  out.Number(llvm::dwarf::DW_EH_PE_omit, 1);  // Landing pads are relative to the function.
  const size_t fixed_size = 1 + llvm::getULEB128Size(sites.size()) + sites.size() + actions.size();
  if (types.types().empty() && types.filters().size() == 0) {
    out.Number(llvm::dwarf::DW_EH_PE_omit, 1);
  } else {
    out.Number(llvm::dwarf::DW_EH_PE_absptr, 1);
    // The distance from behind itself to the end of the types, padded for them to be aligned.
    const size_t after = out.size() + 4;
    const size_t types_begin = (after + fixed_size + 7) & ~size_t{7};
    const size_t distance = types_begin + 8 * types.types().size() - after;
    for (unsigned i = 0; i < 3; ++i) out.Number((distance >> (7 * i) & 0x7f) | 0x80, 1);
    out.Number(distance >> 21, 1);
  }
  out.Number(llvm::dwarf::DW_EH_PE_udata4, 1);
  out.Unsigned(sites.size());
  out.Bytes(sites.data(), sites.size());
  out.Bytes(actions.data(), actions.size());
  if (types.types().empty() && types.filters().size() == 0) return table;
  out.Align(8, 0);
  for (size_t i = types.types().size(); i-- > 0;) {
    const ConstantPart part = PartOf(*types.types()[i], 0);
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
