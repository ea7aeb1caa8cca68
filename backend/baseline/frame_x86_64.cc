#include "backend/baseline/frame_x86_64.h"

#include <cstdint>
#include <vector>

#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/registers_x86_64.h"
#include "backend/baseline/stack_guard.h"
#include "backend/baseline/stack_probe.h"
#include "seam/hotness_counter.h"

namespace firstcall::baseline::x86_64 {
namespace {

constexpr uint8_t kDwarfRbp = 6, kDwarfRsp = 7;

constexpr uint32_t kJumpBytes = 5;

// The guard's place in the control block of the thread (glibc, sysdeps/x86_64/nptl/tls.h).
constexpr int32_t kGuardOffset = 0x28;

// Calls `visit` for each general register of the set, from the lowest.
template <typename Visit>
void ForEachGeneral(RegisterSet set, Visit visit) {
  for (unsigned number = 0; number < 16; ++number) {
    if ((set >> number & 1) != 0) visit(GeneralRegister(number));
  }
}

// Whether `bytes` of the frame may lie below rsp, in the red zone (psABI, 3.2.2).
bool FitsRedZone(const FunctionCode& code, int64_t bytes) {
  constexpr int64_t kRedZone = 128;
  return bytes <= kRedZone && !code.facts.has_call && !code.facts.has_polls() &&
         !code.facts.has_dynamic_alloca &&
         !code.function->attributes().function.Has(ir::Attribute::kNoRedZone);
}

}  // namespace

void FrameX86_64::Begin(const FunctionCode& code) {
  Restart(/*is_protected=*/code.function->module().FlagOf("cf-protection-branch") != 0);
}

// Fills the register save area of the psABI, 3.5.7.
void FrameX86_64::SaveArgumentRegisters(FunctionCode& code) {
  const CallingConvention& convention = code.architecture.convention;
  register_save_area_ = code.frame.Allocate(176, 16);
  for (unsigned i = code.parameters.named_general; i < convention.general.size(); ++i) {
    native_.Store(8, code.frame.At(register_save_area_ + 8 * i), convention.general[i]);
  }
  const uint32_t without_vectors = code.labels.New();
  native_.CompareWithZero(1, kRax);
  native_.Jcc(Cond::kE, without_vectors);
  for (unsigned i = code.parameters.named_vectors; i < convention.vectors.size(); ++i) {
    native_.VectorStore(16, code.frame.At(register_save_area_ + 48 + 16 * i),
                        convention.vectors[i]);
  }
  code.labels.Bind(without_vectors);
}

// The callee of a function that passes on its arguments may look at all vector registers.
void FrameX86_64::RestoreArgumentRegisters(FunctionCode& code) {
  const CallingConvention& convention = code.architecture.convention;
  for (unsigned i = code.parameters.named_general; i < convention.general.size(); ++i) {
    native_.Load(8, convention.general[i], code.frame.At(register_save_area_ + 8 * i));
  }
  for (unsigned i = code.parameters.named_vectors; i < convention.vectors.size(); ++i) {
    native_.VectorLoad(16, convention.vectors[i], code.frame.At(register_save_area_ + 48 + 16 * i));
  }
  native_.MovImmediate(kRax, convention.vectors.size(), true);
}

// Fills the psABI's va_list, 3.5.7.
void FrameX86_64::LowerVariadicStart(FunctionCode& code, const ir::Instruction& intrinsic) {
  const Mem list = AddressOf(code, OperandAt(code, intrinsic, 0));
  native_.StoreImmediate(4, list, static_cast<int32_t>(8 * code.parameters.named_general));
  native_.StoreImmediate(4, list.Plus(4),
                         static_cast<int32_t>(48 + 16 * code.parameters.named_vectors));
  native_.Lea(kScratch, code.frame.Incoming(code.parameters.named_stack));
  native_.Store(8, list.Plus(8), kScratch);
  native_.Lea(kScratch, code.frame.At(register_save_area_));
  native_.Store(8, list.Plus(16), kScratch);
}

void FrameX86_64::StoreGuard(FunctionCode& code, const Mem& place) {
  (void)code;
  native_.LoadFromThread(kScratch, kGuardOffset);
  native_.Store(8, place, kScratch);
}

void FrameX86_64::CompareGuard(FunctionCode& code, const Mem& place) {
  (void)code;
  native_.Load(8, kScratch, place);
  native_.CompareWithThread(kScratch, kGuardOffset);
}

// The entry takes the number from the stack.
void FrameX86_64::AskAtPoll(FunctionCode& code, uint32_t loop) {
  (void)code;
  native_.PushImmediate(static_cast<int32_t>(loop));
  native_.CallM(Mem::At(kScratch, kPollEntryOffset));
}

void FrameX86_64::EmitReturn(FunctionCode& code) {
  if (code.facts.has_guard) EmitGuardCheck(code);
  ClearRegisters(code);
  EmitEpilogue(code, kNoRegister);
}

void FrameX86_64::EmitTailJump(FunctionCode& code) {
  if (code.facts.has_guard) EmitGuardCheck(code);
  EmitEpilogue(code, code.architecture.callee);
}

void FrameX86_64::EmitEpilogue(FunctionCode& code, Register jump_to) {
  int32_t place = 0;
  ForEachGeneral(SavedRegisters(code), [&](Register reg) {
    place -= 8;
    native_.Load(8, reg, code.frame.At(place));
  });
  native_.Leave();
  const auto offset = static_cast<uint32_t>(native_.size());
  rows_.push_back({offset, UnwindRow::Kind::kRemember, 0, 0});
  rows_.push_back({offset, UnwindRow::Kind::kFrame, kDwarfRsp, 8});
  if (jump_to == kNoRegister) {
    native_.Ret();
  } else {
    native_.JmpR(jump_to);
  }
  rows_.push_back({static_cast<uint32_t>(native_.size()), UnwindRow::Kind::kRestore, 0, 0});
}

// Grows the frame by `bytes`, touches each page of it, and jumps to the body. The frame address is
// relative to rbp here, as in the body.
void FrameX86_64::EmitProbes(FunctionCode& code, int64_t bytes) {
  const uint32_t body = code.labels.New();
  code.labels.BindAt(body, code.architecture.frame.prologue_room);
  const int64_t in_pages = bytes & -kProbedBytes;
  if (in_pages != 0) {
    native_.Lea(kScratch, Mem::At(kRsp, static_cast<int32_t>(-in_pages)));
    const uint32_t loop = code.labels.New();
    code.labels.Bind(loop);
    native_.AluRi(Alu::kSub, 8, kRsp, kProbedBytes);
    native_.StoreImmediate(8, Mem::At(kRsp), 0);
    native_.AluRr(Alu::kCmp, 8, kRsp, kScratch);
    native_.Jcc(Cond::kNe, loop);
  }
  if (bytes != in_pages) {
    native_.AluRi(Alu::kSub, 8, kRsp, static_cast<int32_t>(bytes - in_pages));
  }
  native_.Jmp(body);
}

// That of a frame of more than 127 bytes.
uint32_t FrameX86_64::ExpectedPrologue(const FunctionCode& code) const {
  constexpr uint32_t kMarkBytes = 4, kPushAndMovBytes = 4, kSubBytes = 7;
  uint32_t bytes = (is_protected() ? kMarkBytes : 0) + kPushAndMovBytes + kSubBytes;
  ForEachGeneral(SavedRegisters(code), [&](Register reg) { bytes += reg < 8 ? 1 : 2; });
  return bytes;
}

// Emits: push rbp; mov rbp, rsp; push each saved register; sub rsp, rest
uint32_t FrameX86_64::WritePrologue(FunctionCode& code) {
  using Kind = UnwindRow::Kind;
  prologue_.Clear();
  std::vector<UnwindRow> rows;
  const auto add_row = [&](Kind kind, uint8_t reg, uint32_t value) {
    rows.push_back({static_cast<uint32_t>(prologue_.size()), kind, reg, value});
  };
  if (is_protected()) prologue_.LandingMark();
  prologue_.Push(kRbp);
  add_row(Kind::kFrameOffset, 0, 16);
  add_row(Kind::kSaved, kDwarfRbp, 16);
  prologue_.Mov(8, kRbp, kRsp);
  add_row(Kind::kFrameRegister, kDwarfRbp, 0);
  uint32_t pushed = 0;
  ForEachGeneral(SavedRegisters(code), [&](Register reg) {
    prologue_.Push(reg);
    pushed += 8;
    add_row(Kind::kSaved, kDwarfNumbers[reg], 16 + pushed);
  });
  // Keeps rsp aligned to 16 bytes.
  const int64_t rest = ((code.frame.used() + code.frame.outgoing() + 15) & ~int64_t{15}) - pushed;
  if (rest != 0 && !FitsRedZone(code, rest)) {
    if (code.probes_frame) {
      // The frame grows behind the function's end: there is room. It takes a jump there and back.
      FillUp(code, prologue_, kJumpBytes);
      prologue_.Byte(0xe9);
      prologue_.Immediate(
          static_cast<int64_t>(native_.size()) - code.architecture.frame.prologue_room, 4);
      EmitProbes(code, rest);
    } else {
      prologue_.AluRi(Alu::kSub, 8, kRsp, static_cast<int32_t>(rest));
    }
  }
  return PutInFront(code, prologue_, rows);
}

}  // namespace firstcall::baseline::x86_64
