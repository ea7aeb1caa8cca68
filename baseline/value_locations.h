// Where each value is while a function is compiled: which register holds it, and whether its slot
// in the frame does.
//
// A value is written to its slot at most once, because it never changes. A register is free, holds
// a part of a value, belongs to a value for life (Analysis), or is pinned: in use by the
// instruction that is being compiled. When no register is free, the one that was used least
// recently of those that are not pinned gives way.
//
// Thread-compatible; kept from function to function for its memory. Tested in
// tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_VALUE_LOCATIONS_H_
#define FIRSTCALL_BASELINE_VALUE_LOCATIONS_H_

#include <cstdint>

#include "baseline/analysis.h"
#include "baseline/assembler.h"
#include "baseline/frame.h"

namespace firstcall::baseline {

class ValueLocations {
 public:
  ValueLocations(Analysis& analysis, Frame& frame, Assembler& assembler)
      : analysis_(analysis), frame_(frame), assembler_(assembler) {}

  // Begins a function that may use `allocatable` registers besides the fixed ones.
  void Begin(RegisterSet allocatable);
  void SetBlock(uint32_t block) { block_ = block; }
  // Whether, since Begin, an instruction has needed more registers than there are. Then the code is
  // worthless.
  bool has_failed() const { return has_failed_; }

  // ---- For one instruction; all registers returned are pinned until Unpin() ----
  // The register that holds part number `part`, loaded if need be.
  Register In(uint32_t part);
  // The register in which the part, which is being defined, will be.
  Register Define(uint32_t part);
  // Makes `reg`, which is free, or pinned and nobody's, the place of the part: of a fixed one,
  // moves.
  void DefineIn(uint32_t part, Register reg);
  // As Define; the register holds a copy of `from`, whose register is taken over if it dies here.
  Register DefineFrom(uint32_t part, uint32_t from);
  // A register for an intermediate result.
  Register Temporary(bool is_vector);
  // As Temporary, and it is `reg`: what it holds moves elsewhere. It must not be pinned.
  void Claim(Register reg);
  // The part's value in `reg`, in which it may be changed.
  void Claim(Register reg, uint32_t part);
  // A copy of the part in a register that may be changed.
  Register Copy(uint32_t part);
  void Unpin() { pinned_ = 0; }
  // Takes back one pinning; a register may be pinned for several operands.
  void Unpin(Register reg) {
    if (reg == kNoRegister || (pinned_ & SetOf(reg)) == 0) return;
    if (--pins_[reg] == 0) pinned_ &= ~SetOf(reg);
  }
  // What the instruction has read from `reg` is not needed any more: unpins it, and frees it if its
  // value dies here. `reg` may be none, or one that is not allocated.
  void Release(Register reg);
  void Pin(Register reg) {
    pins_[reg] = (pinned_ & SetOf(reg)) != 0 ? pins_[reg] + 1 : 1;
    pinned_ |= SetOf(reg);
  }

  // Whether the value of the part is not needed after the instruction, which uses it once.
  bool DiesHere(uint32_t part) const;
  // Where the part can be read: kNoRegister if it is in no register.
  Register RegisterOf(uint32_t part) const { return analysis_.values()[part].reg; }
  // Whether the part is in the frame only, and used here for the last time.
  bool IsBestInMemory(uint32_t part) const;
  // Its place in the frame; of an alloca, what that is.
  Mem SlotOf(uint32_t part) const {
    const ValuePart& value = analysis_.values()[part];
    return value.is_incoming ? frame_.Incoming(value.slot) : frame_.At(value.slot);
  }
  // A slot for the part, which somebody else writes.
  void GiveSlot(uint32_t part);

  // ---- The ends of lives ----
  // One use of the value is compiled.
  void Used(uint32_t value);
  // A value that was just defined and is never used.
  void DropIfUnused(uint32_t value);

  // ---- At calls and at the ends of blocks ----
  // Stores what is needed after the current instruction and is in no other place. What the
  // instruction uses must have been counted down.
  void SpillSurvivors();
  // Stores what is needed after the current block.
  void SpillLiveOut();
  void Spill(uint32_t part);
  // Registers that are no value's for life hold nothing any more.
  void ForgetRegisters();
  // The current block ends: frees what dies with it.
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
  uint8_t pins_[kRegisterCount] = {};  // How often; of the pinned ones.
  uint32_t owner_[kRegisterCount] = {};
  uint32_t last_use_[kRegisterCount] = {};
  uint32_t clock_ = 0;
  bool has_failed_ = false;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_VALUE_LOCATIONS_H_
