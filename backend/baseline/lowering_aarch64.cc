#include "backend/baseline/lowering_aarch64.h"

#include <algorithm>
#include <vector>

namespace firstcall::baseline::aarch64 {
namespace {

// The largest immediate of ADD and SUB.
constexpr int64_t kOneInstruction = 4095;
// The largest displacement of LoadPair and StorePair.
constexpr int64_t kPairReach = 504;

// DWARF for the Arm 64-bit Architecture, 4.1.
uint8_t DwarfNumber(Register reg) {
  return static_cast<uint8_t>(IsVector(reg) ? 64 + (reg - kFirstVector) : reg);
}

}  // namespace

void LoweringAArch64::Prepare() {
  native_.set_is_large(options_.is_large);
  epilogue_label_ = kNone;
  last_return_ = 0;
  constexpr absl::string_view kSigns = "sign-return-address";
  const ir::AttributeSet& attributes = function_->attributes().function;
  signs_return_address_ = attributes.HasString(kSigns) && attributes.ValueOf(kSigns) != "none";
}

// As LLVM, decides by an attribute of the function.
bool LoweringAArch64::IsBranchProtected(const ir::Function& function) const {
  return function.attributes().function.HasString("branch-target-enforcement");
}

// AAPCS64, appendix B: the va_list points at the upper end of each kind's saved registers.
void LoweringAArch64::SaveArgumentRegisters() {
  const CallingConvention& convention = architecture_.convention;
  const auto general_bytes = static_cast<int32_t>(8 * (8 - named_general_) + 15) & ~15;
  general_top_ = frame_.Allocate(general_bytes, 16) + general_bytes;
  for (unsigned i = named_general_; i < 8; ++i) {
    native_.Store(8, frame_.At(general_top_ - 8 * static_cast<int32_t>(8 - i)),
                  convention.general[i]);
  }
  const auto vector_bytes = static_cast<int32_t>(16 * (8 - named_vectors_));
  vector_top_ = frame_.Allocate(vector_bytes, 16) + vector_bytes;
  for (unsigned i = named_vectors_; i < 8; ++i) {
    native_.VectorStore(16, frame_.At(vector_top_ - 16 * static_cast<int32_t>(8 - i)),
                        convention.vectors[i]);
  }
}

void LoweringAArch64::LowerVariadicStart(const ir::Instruction& intrinsic) {
  const Mem list = AddressOf(OperandAt(intrinsic, 0));
  native_.Lea(kScratch, frame_.Incoming(named_stack_));
  native_.Store(8, list, kScratch);
  native_.Lea(kScratch, frame_.At(general_top_));
  native_.Store(8, list.Plus(8), kScratch);
  native_.Lea(kScratch, frame_.At(vector_top_));
  native_.Store(8, list.Plus(16), kScratch);
  native_.StoreImmediate(4, list.Plus(24), -8 * static_cast<int32_t>(8 - named_general_));
  native_.StoreImmediate(4, list.Plus(28), -16 * static_cast<int32_t>(8 - named_vectors_));
}

void LoweringAArch64::CopyBlock(ir::Operand to, const Mem& place, ir::Operand from, uint64_t size) {
  constexpr unsigned kPiece = 16;
  const Register target = !to.IsNothing() ? Copy(to) : locations_.Temporary(false);
  if (to.IsNothing()) native_.Lea(target, place);
  const Register source = Copy(from);
  const uint32_t again = NewLabel();
  native_.MovImmediate(kScratch, size / kPiece, true);
  Bind(again);
  native_.VectorLoad(kPiece, kVectorScratch, Mem::At(source));
  native_.VectorStore(kPiece, Mem::At(target), kVectorScratch);
  native_.AddWide(source, source, kPiece);
  native_.AddWide(target, target, kPiece);
  native_.AluRi(Alu::kSub, 8, kScratch, 1);
  native_.Jcc(Cond::kNe, again);
  CopyBytes(Mem::At(target), Mem::At(source), size % kPiece);
}

template <typename Visit>
void LoweringAArch64::ForEachSavedPair(const Visit& visit) const {
  int32_t place = architecture_.frame.record_bytes;
  Register first = kNoRegister;
  for (RegisterSet left = SavedRegisters(); left != 0; left &= left - 1) {
    const auto reg = static_cast<Register>(__builtin_ctzll(left));
    if (first == kNoRegister) {
      first = reg;
      continue;
    }
    if (IsVector(first) != IsVector(reg)) {
      visit(first, kNoRegister, place);
      place += 8;
      first = reg;
      continue;
    }
    visit(first, reg, place);
    place += 16;
    first = kNoRegister;
  }
  if (first != kNoRegister) visit(first, kNoRegister, place);
}

// Jumps to the only epilogue. EndBody emits it at the end, when the frame is known.
void LoweringAArch64::EmitReturn() {
  if (epilogue_label_ == kNone) epilogue_label_ = NewLabel();
  native_.Jmp(epilogue_label_);
  last_return_ = native_.size();
}

void LoweringAArch64::EndBody() {
  using Kind = UnwindRow::Kind;
  if (epilogue_label_ == kNone) return;
  if (last_return_ == native_.size()) native_.DropLastJump();
  Bind(epilogue_label_);
  ForEachSavedPair([&](Register first, Register second, int32_t place) {
    if (second != kNoRegister) return native_.LoadPair(first, second, kFramePointer, place);
    const Mem mem = frame_.At(place);
    IsVector(first) ? native_.VectorLoad(8, first, mem) : native_.Load(8, first, mem);
  });
  native_.Mov(8, kStackPointer, kFramePointer);
  native_.LoadPair(kFramePointer, kLinkRegister, kStackPointer, 0);
  const auto add_row = [&](Kind kind, Register reg, int64_t value) {
    rows_.push_back({static_cast<uint32_t>(native_.size()), kind, DwarfNumber(reg),
                     static_cast<uint32_t>(value)});
  };
  add_row(Kind::kFrame, kStackPointer, BytesAbove());
  if (BytesAbove() <= kOneInstruction) {
    native_.AddWide(kStackPointer, kStackPointer, static_cast<uint32_t>(BytesAbove()));
  } else {
    native_.MovImmediate(kAddressScratch, static_cast<uint64_t>(BytesAbove()), true);
    native_.AluRr(Alu::kAdd, 8, kStackPointer, kAddressScratch);
  }
  add_row(Kind::kFrameOffset, kStackPointer, 0);
  add_row(Kind::kRestored, kFramePointer, 0);
  add_row(Kind::kRestored, kLinkRegister, 0);
  ForEachSavedPair([&](Register first, Register second, int32_t) {
    add_row(Kind::kRestored, first, 0);
    if (second != kNoRegister) add_row(Kind::kRestored, second, 0);
  });
  if (signs_return_address_) {
    native_.AuthenticateReturnAddress();
    add_row(Kind::kSignsReturnAddress, kLinkRegister, 0);
  }
  native_.Ret();
}

// Emits: sub sp, sp, #size; stp x29, x30, [sp, #outgoing]; add x29, sp, #outgoing; stores
uint32_t LoweringAArch64::WritePrologue() {
  using Kind = UnwindRow::Kind;
  const int64_t above = BytesAbove(), below = BytesBelow();
  prologue_.Clear();
  std::vector<UnwindRow> rows;
  const auto add_row = [&](Kind kind, Register reg, int64_t value) {
    rows.push_back({static_cast<uint32_t>(prologue_.size()), kind, DwarfNumber(reg),
                    static_cast<uint32_t>(value)});
  };
  if (signs_return_address_) {  // Calls may lead to this instruction, too.
    prologue_.SignReturnAddress();
    add_row(Kind::kSignsReturnAddress, kLinkRegister, 0);
  } else if (is_protected_) {
    prologue_.BranchTarget(/*call=*/true, /*jump=*/false);
  }
  // One instruction changes sp, so that the rows are exact.
  if (above + below <= kOneInstruction) {
    prologue_.SubWide(kStackPointer, kStackPointer, static_cast<uint32_t>(above + below));
  } else {
    prologue_.MovImmediate(kAddressScratch, static_cast<uint64_t>(above + below), true);
    prologue_.AluRr(Alu::kSub, 8, kStackPointer, kAddressScratch);
  }
  add_row(Kind::kFrameOffset, kStackPointer, above + below);
  if (below <= kPairReach) {
    prologue_.StorePair(kFramePointer, kLinkRegister, kStackPointer, static_cast<int32_t>(below));
    prologue_.AddWide(kFramePointer, kStackPointer, static_cast<uint32_t>(below));
  } else {
    prologue_.Lea(kAddressScratch, Mem::At(kStackPointer, static_cast<int32_t>(below)));
    prologue_.StorePair(kFramePointer, kLinkRegister, kAddressScratch, 0);
    prologue_.Mov(8, kFramePointer, kAddressScratch);
  }
  add_row(Kind::kFrame, kFramePointer, above);
  add_row(Kind::kSaved, kFramePointer, above);
  add_row(Kind::kSaved, kLinkRegister, above - 8);
  ForEachSavedPair([&](Register first, Register second, int32_t place) {
    const Mem mem = frame_.At(place);
    if (second != kNoRegister) {
      prologue_.StorePair(first, second, kFramePointer, place);
    } else {
      IsVector(first) ? prologue_.VectorStore(8, mem, first) : prologue_.Store(8, mem, first);
    }
    add_row(Kind::kSaved, first, above - place);
    if (second != kNoRegister) add_row(Kind::kSaved, second, above - place - 8);
  });
  return PutInFront(prologue_, rows);
}

}  // namespace firstcall::baseline::aarch64
