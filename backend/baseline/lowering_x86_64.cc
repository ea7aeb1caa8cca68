#include "backend/baseline/lowering_x86_64.h"

#include <algorithm>

namespace firstcall::baseline::x86_64 {
namespace {

// psABI, figure 3.36.
constexpr uint8_t kDwarfNumber[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr uint8_t kDwarfRbp = 6, kDwarfRsp = 7;

// Calls `visit` for each general register of the set, from the lowest.
template <typename Visit>
void ForEachGeneral(RegisterSet set, Visit visit) {
  for (unsigned number = 0; number < 16; ++number) {
    if ((set >> number & 1) != 0) visit(GeneralRegister(number));
  }
}

}  // namespace

bool LoweringX86_64::IsBranchProtected(const ir::Function& function) const {
  return function.module().FlagOf("cf-protection-branch") != 0;
}

// Fills the register save area of the psABI, 3.5.7.
void LoweringX86_64::SaveArgumentRegisters() {
  const CallingConvention& convention = architecture_.convention;
  register_save_area_ = frame_.Allocate(176, 16);
  for (unsigned i = named_general_; i < convention.general.size(); ++i) {
    native_.Store(8, frame_.At(register_save_area_ + 8 * i), convention.general[i]);
  }
  const uint32_t without_vectors = NewLabel();
  native_.CompareWithZero(1, kRax);
  native_.Jcc(Cond::kE, without_vectors);
  for (unsigned i = named_vectors_; i < convention.vectors.size(); ++i) {
    native_.VectorStore(16, frame_.At(register_save_area_ + 48 + 16 * i), convention.vectors[i]);
  }
  Bind(without_vectors);
}

// Fills the psABI's va_list, 3.5.7.
void LoweringX86_64::LowerVariadicStart(const ir::Instruction& intrinsic) {
  const Mem list = AddressOf(OperandAt(intrinsic, 0));
  native_.StoreImmediate(4, list, static_cast<int32_t>(8 * named_general_));
  native_.StoreImmediate(4, list.Plus(4), static_cast<int32_t>(48 + 16 * named_vectors_));
  native_.Lea(kScratch, frame_.Incoming(named_stack_));
  native_.Store(8, list.Plus(8), kScratch);
  native_.Lea(kScratch, frame_.At(register_save_area_));
  native_.Store(8, list.Plus(16), kScratch);
}

void LoweringX86_64::CopyBlock(ir::Operand to, const Mem& place, ir::Operand from, uint64_t size) {
  if (to.IsNothing()) locations_.Claim(kRdi);
  locations_.Claim(kRcx);
  if (!to.IsNothing()) Claim(kRdi, to);
  Claim(kRsi, from);
  if (to.IsNothing()) native_.Lea(kRdi, place);
  native_.MovImmediate(kRcx, size, true);
  native_.RepMovsb();
}

void LoweringX86_64::EmitReturn() {
  int32_t place = 0;
  ForEachGeneral(SavedRegisters(), [&](Register reg) {
    place -= 8;
    native_.Load(8, reg, frame_.At(place));
  });
  native_.Leave();
  const auto offset = static_cast<uint32_t>(native_.size());
  rows_.push_back({offset, UnwindRow::Kind::kRemember, 0, 0});
  rows_.push_back({offset, UnwindRow::Kind::kFrame, kDwarfRsp, 8});
  native_.Ret();
  rows_.push_back({static_cast<uint32_t>(native_.size()), UnwindRow::Kind::kRestore, 0, 0});
}

bool LoweringX86_64::FitsRedZone(int64_t bytes) const {
  constexpr int64_t kRedZone = 128;
  return bytes <= kRedZone && !analysis_.has_call() && !analysis_.has_dynamic_alloca() &&
         !function_->attributes().function.Has(ir::Attribute::kNoRedZone);
}

// Emits: push rbp; mov rbp, rsp; push each saved register; sub rsp, rest
uint32_t LoweringX86_64::WritePrologue() {
  using Kind = UnwindRow::Kind;
  prologue_.Clear();
  std::vector<UnwindRow> rows;
  const auto add_row = [&](Kind kind, uint8_t reg, uint32_t value) {
    rows.push_back({static_cast<uint32_t>(prologue_.size()), kind, reg, value});
  };
  if (is_protected_) prologue_.LandingMark();
  prologue_.Push(kRbp);
  add_row(Kind::kFrameOffset, 0, 16);
  add_row(Kind::kSaved, kDwarfRbp, 16);
  prologue_.Mov(8, kRbp, kRsp);
  add_row(Kind::kFrameRegister, kDwarfRbp, 0);
  uint32_t pushed = 0;
  ForEachGeneral(SavedRegisters(), [&](Register reg) {
    prologue_.Push(reg);
    pushed += 8;
    add_row(Kind::kSaved, kDwarfNumber[reg], 16 + pushed);
  });
  // Keeps rsp aligned to 16 bytes.
  const int64_t rest = ((frame_.used() + frame_.outgoing() + 15) & ~int64_t{15}) - pushed;
  if (rest != 0 && !FitsRedZone(rest)) {
    prologue_.AluRi(Alu::kSub, 8, kRsp, static_cast<int32_t>(rest));
  }
  return PutInFront(prologue_, rows);
}

}  // namespace firstcall::baseline::x86_64
