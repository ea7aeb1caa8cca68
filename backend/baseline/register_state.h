// The state of each register while a function is compiled. A register is free or holds a part of a
// value, and may be pinned: in use by the instruction that is being compiled. A register that is
// not allocatable is never free. The class does not know the values: a part is a number.
//
// Thread-compatible. Tested in
// tests/backend/baseline/register_state_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_REGISTER_STATE_H_
#define FIRSTCALL_BACKEND_BASELINE_REGISTER_STATE_H_

#include <cstdint>

#include "backend/baseline/registers.h"

namespace firstcall::baseline {

class RegisterState {
 public:
  // Begins a function: no register holds a part, or is pinned, or was used.
  void Begin(RegisterSet allocatable) {
    allocatable_ = allocatable;
    owned_ = pinned_ = 0;
    clock_ = 0;
  }

  bool IsAllocatable(Register reg) const { return (allocatable_ & SetOf(reg)) != 0; }
  // Whether `reg` is allocatable, holds no part and is not pinned.
  bool IsFree(Register reg) const { return (allocatable_ & ~owned_ & ~pinned_ & SetOf(reg)) != 0; }
  // The allocatable registers of one kind that are not pinned: all of them, and the free ones.
  RegisterSet Unpinned(bool is_vector) const { return allocatable_ & ~pinned_ & OfKind(is_vector); }
  RegisterSet Free(bool is_vector) const { return Unpinned(is_vector) & ~owned_; }

  // ---- Parts ----
  // The registers that hold parts.
  RegisterSet owned() const { return owned_; }
  bool IsOwned(Register reg) const { return (owned_ & SetOf(reg)) != 0; }
  // The part that an owned register holds.
  uint32_t OwnerOf(Register reg) const { return owner_[reg]; }
  // Makes `reg` hold `part`, in place of the part that it held, and counts as a use of `reg`.
  void Own(Register reg, uint32_t part) {
    owner_[reg] = part;
    owned_ |= SetOf(reg);
    Touch(reg);
  }
  void Disown(Register reg) { owned_ &= ~SetOf(reg); }

  // ---- Uses ----
  void Touch(Register reg) { last_use_[reg] = ++clock_; }
  // Whether the last use of `reg` is older than that of `other`. Both must have been used.
  bool IsOlder(Register reg, Register other) const { return last_use_[reg] < last_use_[other]; }

  // ---- Pins ----
  // A register may be pinned for several operands.
  void Pin(Register reg) {
    pins_[reg] = (pinned_ & SetOf(reg)) != 0 ? pins_[reg] + 1 : 1;
    pinned_ |= SetOf(reg);
  }
  // Undoes one Pin. Does nothing if `reg` is not pinned, or is kNoRegister.
  void Unpin(Register reg) {
    if (reg == kNoRegister || (pinned_ & SetOf(reg)) == 0) return;
    if (--pins_[reg] == 0) pinned_ &= ~SetOf(reg);
  }
  // Undoes all Pins of `reg`, and of all registers.
  void UnpinWholly(Register reg) { pinned_ &= ~SetOf(reg); }
  void UnpinAll() { pinned_ = 0; }

 private:
  static constexpr RegisterSet OfKind(bool is_vector) {
    return is_vector ? ~kGeneralRegisters : kGeneralRegisters;
  }

  RegisterSet allocatable_ = 0;
  RegisterSet owned_ = 0;
  RegisterSet pinned_ = 0;
  uint8_t pins_[kRegisterCount] = {};  // How often each pinned register is pinned.
  uint32_t owner_[kRegisterCount] = {};
  uint32_t last_use_[kRegisterCount] = {};
  uint32_t clock_ = 0;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_REGISTER_STATE_H_
