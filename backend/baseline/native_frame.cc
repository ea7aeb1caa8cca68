#include "backend/baseline/native_frame.h"

#include <cstring>

#include "backend/baseline/function_code.h"

namespace firstcall::baseline {

void NativeFrame::ClearRegisters(FunctionCode& code) {
  for (RegisterSet left = code.facts.cleared_registers; left != 0; left &= left - 1) {
    const auto reg = static_cast<Register>(__builtin_ctzll(left));
    if (IsVector(reg)) {
      code.assembler.VectorZero(reg);
    } else {
      code.assembler.MovImmediate(reg, 0, /*may_change_flags=*/true);
    }
  }
}

void NativeFrame::AlignLoop(FunctionCode& code) {
  if (!has_aligned_loops_) {
    has_aligned_loops_ = true;
    expected_prologue_ = ExpectedPrologue(code);
  }
  const FrameStyle& style = code.architecture.frame;
  const auto body = static_cast<uint32_t>(code.assembler.size()) - style.prologue_room;
  code.assembler.Nops(-(expected_prologue_ + body) & (style.loop_alignment - 1));
}

void NativeFrame::FillUp(const FunctionCode& code, Assembler& prologue, uint32_t missing) const {
  if (!has_aligned_loops_) return;
  const auto size = static_cast<uint32_t>(prologue.size()) + missing;
  prologue.Nops((expected_prologue_ - size) & (code.architecture.frame.loop_alignment - 1));
}

uint32_t NativeFrame::PutInFront(FunctionCode& code, Assembler& prologue,
                                 std::vector<UnwindRow>& rows) {
  FillUp(code, prologue, 0);
  const auto begin = static_cast<uint32_t>(code.architecture.frame.prologue_room - prologue.size());
  std::memcpy(code.assembler.buffer().At(begin), prologue.buffer().data(), prologue.size());
  for (UnwindRow& row : rows) row.offset += begin;
  rows_.insert(rows_.begin(), rows.begin(), rows.end());
  return begin;
}

}  // namespace firstcall::baseline
