#include "backend/baseline/frame_aarch64.h"

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/registers_aarch64.h"
#include "backend/baseline/stack_guard.h"
#include "backend/baseline/stack_probe.h"
#include "backend/baseline/symbols.h"
#include "seam/hotness_counter.h"

namespace firstcall::baseline::aarch64 {
namespace {

// The largest immediate of ADD and SUB.
constexpr int64_t kOneInstruction = 4095;
// The largest displacement of LoadPair and StorePair.
constexpr int64_t kPairReach = 504;

// The variable of the dynamic linker that holds the guard.
constexpr char kGuardVariable[] = "__stack_chk_guard";

// DWARF for the Arm 64-bit Architecture, 4.1.
uint8_t DwarfNumber(Register reg) {
  return static_cast<uint8_t>(IsVector(reg) ? 64 + (reg - kFirstVector) : reg);
}

// The bytes between the frame pointer and the caller's frame.
int64_t BytesAbove(const FunctionCode& code) { return (code.frame.used() + 15) & ~int64_t{15}; }

// The bytes between the stack pointer and the frame pointer.
int64_t BytesBelow(const FunctionCode& code) { return (code.frame.outgoing() + 15) & ~int64_t{15}; }

// Calls `visit(first, second, place)` for pairs of saved registers of one kind. `second` may be
// kNoRegister. `place` is the pair's place in the frame.
template <typename Visit>
void ForEachSavedPair(const FunctionCode& code, const Visit& visit) {
  int32_t place = code.architecture.frame.record_bytes;
  Register first = kNoRegister;
  for (RegisterSet left = SavedRegisters(code); left != 0; left &= left - 1) {
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

}  // namespace

void FrameAArch64::Begin(const FunctionCode& code) {
  constexpr absl::string_view kSigns = "sign-return-address";
  const ir::AttributeSet& attributes = code.function->attributes().function;
  // As LLVM, decides by an attribute of the function.
  Restart(/*is_protected=*/attributes.HasString("branch-target-enforcement"));
  signs_return_address_ = attributes.HasString(kSigns) && attributes.ValueOf(kSigns) != "none";
  native_.set_is_large(code.options.is_large);
  epilogue_label_ = tail_label_ = kNone;
  last_return_ = 0;
}

// AAPCS64, appendix B: the va_list points at the upper end of each kind's saved registers.
void FrameAArch64::SaveArgumentRegisters(FunctionCode& code) {
  const CallingConvention& convention = code.architecture.convention;
  const auto general_bytes =
      static_cast<int32_t>(8 * (8 - code.parameters.named_general) + 15) & ~15;
  general_top_ = code.frame.Allocate(general_bytes, 16) + general_bytes;
  for (unsigned i = code.parameters.named_general; i < 8; ++i) {
    native_.Store(8, code.frame.At(general_top_ - 8 * static_cast<int32_t>(8 - i)),
                  convention.general[i]);
  }
  const auto vector_bytes = static_cast<int32_t>(16 * (8 - code.parameters.named_vectors));
  vector_top_ = code.frame.Allocate(vector_bytes, 16) + vector_bytes;
  for (unsigned i = code.parameters.named_vectors; i < 8; ++i) {
    native_.VectorStore(16, code.frame.At(vector_top_ - 16 * static_cast<int32_t>(8 - i)),
                        convention.vectors[i]);
  }
  if (!code.facts.forwards_arguments) return;
  result_address_place_ = code.frame.Allocate(8, 8);
  native_.Store(8, code.frame.At(result_address_place_), convention.result_address);
}

void FrameAArch64::RestoreArgumentRegisters(FunctionCode& code) {
  const CallingConvention& convention = code.architecture.convention;
  for (unsigned i = code.parameters.named_general; i < 8; ++i) {
    native_.Load(8, convention.general[i],
                 code.frame.At(general_top_ - 8 * static_cast<int32_t>(8 - i)));
  }
  for (unsigned i = code.parameters.named_vectors; i < 8; ++i) {
    native_.VectorLoad(16, convention.vectors[i],
                       code.frame.At(vector_top_ - 16 * static_cast<int32_t>(8 - i)));
  }
  if (code.function->attributes().HasAnywhere(ir::Attribute::kStructRet)) return;
  native_.Load(8, convention.result_address, code.frame.At(result_address_place_));
}

void FrameAArch64::LowerVariadicStart(FunctionCode& code, const ir::Instruction& intrinsic) {
  const Mem list = AddressOf(code, OperandAt(code, intrinsic, 0));
  native_.Lea(kScratch, code.frame.Incoming(code.parameters.named_stack));
  native_.Store(8, list, kScratch);
  native_.Lea(kScratch, code.frame.At(general_top_));
  native_.Store(8, list.Plus(8), kScratch);
  native_.Lea(kScratch, code.frame.At(vector_top_));
  native_.Store(8, list.Plus(16), kScratch);
  native_.StoreImmediate(4, list.Plus(24),
                         -8 * static_cast<int32_t>(8 - code.parameters.named_general));
  native_.StoreImmediate(4, list.Plus(28),
                         -16 * static_cast<int32_t>(8 - code.parameters.named_vectors));
}

void FrameAArch64::StoreGuard(FunctionCode& code, const Mem& place) {
  native_.Load(8, kScratch, LiteralOf(code, code.symbols.NumberOf(kGuardVariable)));
  native_.Load(8, kScratch, Mem::At(kScratch));
  native_.Store(8, place, kScratch);
}

void FrameAArch64::CompareGuard(FunctionCode& code, const Mem& place) {
  native_.Load(8, kScratch, place);
  native_.Load(8, kAddressScratch, LiteralOf(code, code.symbols.NumberOf(kGuardVariable)));
  native_.AluRm(Alu::kCmp, 8, kScratch, Mem::At(kAddressScratch));
}

// The number is in kValueScratch.
void FrameAArch64::AskAtPoll(FunctionCode& code, uint32_t loop) {
  (void)code;
  native_.MovImmediate(kValueScratch, loop, true);
  native_.Load(8, kAddressScratch, Mem::At(kScratch, kPollEntryOffset));
  native_.CallR(kAddressScratch);
}

// Jumps to the only epilogue. EndBody emits it at the end, when the frame is known.
void FrameAArch64::EmitReturn(FunctionCode& code) {
  if (epilogue_label_ == kNone) epilogue_label_ = code.labels.New();
  native_.Jmp(epilogue_label_);
  last_return_ = native_.size();
}

void FrameAArch64::EmitTailJump(FunctionCode& code) {
  if (tail_label_ == kNone) tail_label_ = code.labels.New();
  native_.Jmp(tail_label_);
}

void FrameAArch64::EndBody(FunctionCode& code) {
  if (epilogue_label_ != kNone) {
    if (last_return_ == native_.size()) native_.DropLastJump();
    code.labels.Bind(epilogue_label_);
    EmitEpilogue(code, /*is_tail=*/false);
  }
  if (tail_label_ != kNone) {
    code.labels.Bind(tail_label_);
    EmitEpilogue(code, /*is_tail=*/true);
  }
}

void FrameAArch64::EmitEpilogue(FunctionCode& code, bool is_tail) {
  using Kind = UnwindRow::Kind;
  // More code follows: that of the other epilogue, or the call for a changed guard.
  const bool is_last = !code.facts.has_guard && (is_tail || tail_label_ == kNone);
  if (code.facts.has_guard) EmitGuardCheck(code);
  if (!is_last) {
    rows_.push_back({static_cast<uint32_t>(native_.size()), Kind::kRemember, 0, 0});
  }
  ForEachSavedPair(code, [&](Register first, Register second, int32_t place) {
    if (second != kNoRegister) return native_.LoadPair(first, second, kFramePointer, place);
    const Mem mem = code.frame.At(place);
    IsVector(first) ? native_.VectorLoad(8, first, mem) : native_.Load(8, first, mem);
  });
  native_.Mov(8, kStackPointer, kFramePointer);
  native_.LoadPair(kFramePointer, kLinkRegister, kStackPointer, 0);
  const auto add_row = [&](Kind kind, Register reg, int64_t value) {
    rows_.push_back({static_cast<uint32_t>(native_.size()), kind, DwarfNumber(reg),
                     static_cast<uint32_t>(value)});
  };
  add_row(Kind::kFrame, kStackPointer, BytesAbove(code));
  if (BytesAbove(code) <= kOneInstruction) {
    native_.AddWide(kStackPointer, kStackPointer, static_cast<uint32_t>(BytesAbove(code)));
  } else {
    native_.MovImmediate(kAddressScratch, static_cast<uint64_t>(BytesAbove(code)), true);
    native_.AluRr(Alu::kAdd, 8, kStackPointer, kAddressScratch);
  }
  add_row(Kind::kFrameOffset, kStackPointer, 0);
  add_row(Kind::kRestored, kFramePointer, 0);
  add_row(Kind::kRestored, kLinkRegister, 0);
  ForEachSavedPair(code, [&](Register first, Register second, int32_t) {
    add_row(Kind::kRestored, first, 0);
    if (second != kNoRegister) add_row(Kind::kRestored, second, 0);
  });
  if (signs_return_address_) {
    native_.AuthenticateReturnAddress();
    add_row(Kind::kSignsReturnAddress, kLinkRegister, 0);
  }
  if (is_tail) {
    // By way of this register, a branch may go where calls go.
    native_.Mov(8, kAddressScratch, code.architecture.callee);
    native_.JmpR(kAddressScratch);
  } else {
    ClearRegisters(code);
    native_.Ret();
  }
  if (!is_last) add_row(Kind::kRestore, kLinkRegister, 0);
}

// Touches each page of a frame that is made behind this: of `bytes` bytes below sp. What is left
// of a page is touched when the frame pointer is saved.
void FrameAArch64::EmitProbes(int64_t bytes) {
  const int64_t pages = bytes / kProbedBytes;
  if (pages == 0) return;
  prologue_.Mov(8, kAddressScratch, kStackPointer);
  prologue_.MovImmediate(kValueScratch, static_cast<uint64_t>(pages), true);
  const size_t loop = prologue_.size();
  prologue_.SubWide(kAddressScratch, kAddressScratch, kProbedBytes);
  prologue_.StoreImmediate(8, Mem::At(kAddressScratch), 0);
  prologue_.AluRi(Alu::kSub, 8, kValueScratch, 1);
  // B.NE to `loop`. The prologue has no labels.
  const auto back = static_cast<uint32_t>((loop - prologue_.size()) / 4) & 0x7ffff;
  prologue_.Immediate(0x54000001 | back << 5, 4);
}

// That of a frame whose size is the immediate of one instruction.
uint32_t FrameAArch64::ExpectedPrologue(const FunctionCode& code) const {
  uint32_t instructions = 3;  // They change sp, save the link register and x29, and set x29.
  if (signs_return_address_ || is_protected()) ++instructions;
  ForEachSavedPair(code, [&](Register, Register, int32_t) { ++instructions; });
  return 4 * instructions;
}

// Emits: sub sp, sp, #size; stp x29, x30, [sp, #outgoing]; add x29, sp, #outgoing; stores
uint32_t FrameAArch64::WritePrologue(FunctionCode& code) {
  using Kind = UnwindRow::Kind;
  const int64_t above = BytesAbove(code), below = BytesBelow(code);
  prologue_.Clear();
  std::vector<UnwindRow> rows;
  const auto add_row = [&](Kind kind, Register reg, int64_t value) {
    rows.push_back({static_cast<uint32_t>(prologue_.size()), kind, DwarfNumber(reg),
                    static_cast<uint32_t>(value)});
  };
  if (signs_return_address_) {  // Calls may lead to this instruction, too.
    prologue_.SignReturnAddress();
    add_row(Kind::kSignsReturnAddress, kLinkRegister, 0);
  } else if (is_protected()) {
    prologue_.BranchTarget(/*call=*/true, /*jump=*/false);
  }
  if (code.probes_frame) EmitProbes(above + below);
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
  // What is farther below the saved frame pointer is touched, too.
  if (code.probes_frame && below > code.architecture.frame.least_probed) {
    prologue_.StoreImmediate(8, Mem::At(kStackPointer), 0);
  }
  add_row(Kind::kSaved, kLinkRegister, above - 8);
  ForEachSavedPair(code, [&](Register first, Register second, int32_t place) {
    const Mem mem = code.frame.At(place);
    if (second != kNoRegister) {
      prologue_.StorePair(first, second, kFramePointer, place);
    } else {
      IsVector(first) ? prologue_.VectorStore(8, mem, first) : prologue_.Store(8, mem, first);
    }
    add_row(Kind::kSaved, first, above - place);
    if (second != kNoRegister) add_row(Kind::kSaved, second, above - place - 8);
  });
  return PutInFront(code, prologue_, rows);
}

}  // namespace firstcall::baseline::aarch64
