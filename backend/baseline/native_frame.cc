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

uint32_t NativeFrame::PutInFront(FunctionCode& code, Assembler& prologue,
                                 std::vector<UnwindRow>& rows) {
  const auto begin = static_cast<uint32_t>(code.architecture.frame.prologue_room - prologue.size());
  std::memcpy(code.assembler.buffer().At(begin), prologue.buffer().data(), prologue.size());
  for (UnwindRow& row : rows) row.offset += begin;
  rows_.insert(rows_.begin(), rows.begin(), rows.end());
  return begin;
}

}  // namespace firstcall::baseline
