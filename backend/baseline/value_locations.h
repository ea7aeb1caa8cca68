// Tracks where each value is while a function is compiled: which register holds the value, and
// whether its slot in the frame holds it.
//
// A value is written to its slot at most once, because it never changes. A register is free, holds
// a part of a value, is fixed (belongs to a value for the value's whole life; see Analysis), or is
// pinned (in use by the instruction that is being compiled). When no register is free, a register
// that is not pinned is evicted: registers whose part needs no store come first, then the least
// recently used.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VALUE_LOCATIONS_H_
#define FIRSTCALL_BACKEND_BASELINE_VALUE_LOCATIONS_H_

#include <cstdint>

#include "backend/baseline/analysis.h"
#include "backend/baseline/assembler.h"
#include "backend/baseline/frame.h"

namespace firstcall::baseline {

class ValueLocations {
 public:
  ValueLocations(Analysis& analysis, Frame& frame, Assembler& assembler)
      : analysis_(analysis), frame_(frame), assembler_(assembler) {}

  // Begins a function that may use `allocatable` registers besides the fixed ones.
  void Begin(RegisterSet allocatable);
  void SetBlock(uint32_t block) { block_ = block; }
  // Whether, since Begin, an instruction has needed more registers than there are. If so, the
  // emitted code is wrong and must be discarded.
  bool has_failed() const { return has_failed_; }

  // ---- For one instruction; all registers returned are pinned until Unpin() ----
  // The register that holds part number `part`. Loads the part if no register holds it.
  Register In(uint32_t part);
  // A register for the part, which the instruction defines.
  Register Define(uint32_t part);
  // Makes `reg` hold the part, whose value is already in `reg`. `reg` must hold no other part. If
  // the part has a fixed register, moves the value from `reg` to that register.
  void DefineIn(uint32_t part, Register reg);
  // As Define, with the value of `from` in the register. If `from` dies here, takes its register.
  Register DefineFrom(uint32_t part, uint32_t from);
  // A register for an intermediate result.
  Register Temporary(bool is_vector);
  // As Temporary, but takes `reg`, which must not be pinned. A part in `reg` moves to another
  // register or to its slot.
  void Claim(Register reg);
  // Claims `reg` and makes it hold a copy of the part, which may be changed.
  void Claim(Register reg, uint32_t part);
  // A register with a copy of the part, which may be changed.
  Register Copy(uint32_t part);
  void Unpin() { pinned_ = 0; }
  // Undoes one Pin. A register may be pinned for several operands.
  void Unpin(Register reg) {
    if (reg == kNoRegister || (pinned_ & SetOf(reg)) == 0) return;
    if (--pins_[reg] == 0) pinned_ &= ~SetOf(reg);
  }
  // Called when the instruction no longer needs `reg`: if `reg` holds no part, unpins it; if its
  // part dies here, unpins and frees it. Does nothing otherwise, or if `reg` is kNoRegister or not
  // allocatable.
  void Release(Register reg);
  void Pin(Register reg) {
    pins_[reg] = (pinned_ & SetOf(reg)) != 0 ? pins_[reg] + 1 : 1;
    pinned_ |= SetOf(reg);
  }

  // Whether the part's value is dead after the current instruction, which uses it once. False for
  // values with a fixed register and allocas.
  bool DiesHere(uint32_t part) const;
  // The register that holds the part; kNoRegister if none does.
  Register RegisterOf(uint32_t part) const { return analysis_.values()[part].reg; }
  // Whether the part is only in the frame, and the current instruction is its last use.
  bool IsBestInMemory(uint32_t part) const;
  // The part's place in the frame. For an alloca, the memory whose address the alloca is.
  Mem SlotOf(uint32_t part) const {
    const ValuePart& value = analysis_.values()[part];
    return value.is_incoming ? frame_.Incoming(value.slot) : frame_.At(value.slot);
  }
  // Allocates a slot for the part, if it has none. The caller writes the part to the slot.
  void GiveSlot(uint32_t part);

  // ---- The ends of lives ----
  // Counts one use of the value as compiled. After the last use, frees the value's registers.
  void Used(uint32_t value);
  // Called after a value is defined: frees the value if it is never used.
  void DropIfUnused(uint32_t value);

  // ---- At calls and at the ends of blocks ----
  // Stores the parts that are needed after the current instruction and are only in registers. The
  // instruction's uses must have been counted down.
  void SpillSurvivors();
  // Stores the parts that are live after the current block and are only in registers.
  void SpillLiveOut();
  void Spill(uint32_t part);
  // Marks all registers except the fixed ones as free.
  void ForgetRegisters();
  // Called at the end of the current block: frees the values that die in the block.
  void EndBlock();

 private:
  ValuePart& Part(uint32_t part) { return analysis_.values()[part]; }
  const ValuePart& Part(uint32_t part) const { return analysis_.values()[part]; }
  ValuePart& ValueOf(uint32_t part) { return Part(part - Part(part).index); }
  const ValuePart& ValueOf(uint32_t part) const { return Part(part - Part(part).index); }
  Register Take(bool is_vector);
  void Evict(Register reg);
  void Own(Register reg, uint32_t part);
  void Disown(Register reg);
  void Free(uint32_t value);
  void MoveRegister(Register to, Register from);
  void LoadInto(Register reg, uint32_t part);

  Analysis& analysis_;
  Frame& frame_;
  Assembler& assembler_;
  uint32_t block_ = 0;
  RegisterSet allocatable_ = 0;
  RegisterSet owned_ = 0;
  RegisterSet pinned_ = 0;
  uint8_t pins_[kRegisterCount] = {};  // How often each pinned register is pinned.
  uint32_t owner_[kRegisterCount] = {};
  uint32_t last_use_[kRegisterCount] = {};
  uint32_t clock_ = 0;
  bool has_failed_ = false;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_VALUE_LOCATIONS_H_
