// Tracks where each value is while a function is compiled: which register holds the value, and
// whether its slot in the frame holds it.
//
// The state of each register is in a RegisterState, and value_slots.h says what is stored to a
// slot. Registers that are fixed (each belongs to a value for the value's whole life; see Analysis)
// are not allocatable here. When no register is free, a register that is not pinned is evicted:
// registers whose part needs no store come first, then the least recently used.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VALUE_LOCATIONS_H_
#define FIRSTCALL_BACKEND_BASELINE_VALUE_LOCATIONS_H_

#include <cstdint>

#include "backend/baseline/assembler.h"
#include "backend/baseline/frame.h"
#include "backend/baseline/function_facts.h"
#include "backend/baseline/register_state.h"

namespace firstcall::baseline {

class ValueLocations {
 public:
  ValueLocations(FunctionFacts& facts, Frame& frame, Assembler& assembler)
      : facts_(facts), frame_(frame), assembler_(assembler) {}

  // Begins a function that may use `allocatable` registers besides the fixed ones.
  void Begin(RegisterSet allocatable);
  // The block that is being compiled, by its number in the order of blocks.
  uint32_t block() const { return block_; }
  void SetBlock(uint32_t block) { block_ = block; }
  // Whether, since Begin, an instruction has needed more registers than there are. If so, the
  // emitted code is wrong and must be discarded.
  bool has_failed() const { return has_failed_; }
  // To pin and unpin registers.
  RegisterState& registers() { return registers_; }

  // ---- For one instruction; all registers returned are pinned until RegisterState::UnpinAll ----
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
  // Called when the instruction no longer needs `reg`: if `reg` holds no part, unpins it; if its
  // part dies here, unpins and frees it. Does nothing otherwise, or if `reg` is kNoRegister or not
  // allocatable.
  void Release(Register reg);

  // Whether the part's value is dead after the current instruction, which uses it once. False for
  // values with a fixed register and allocas.
  bool DiesHere(uint32_t part) const;
  // The register that holds the part; kNoRegister if none does.
  Register RegisterOf(uint32_t part) const { return facts_.values[part].reg; }
  // Whether the part is only in the frame, and the current instruction is its last use.
  bool IsBestInMemory(uint32_t part) const;

  // ---- The ends of lives ----
  // Counts one use of the value as compiled. Returns whether this is the last use of all; then
  // frees the value's registers.
  bool Used(uint32_t value) {
    ValuePart& part = facts_.values[value];
    if (--part.uses != 0) return false;
    if (part.last_block <= block_ && !part.is_alloca) UsedLast(value);
    return true;
  }
  // Called after a value is defined: frees the value if it is never used.
  void DropIfUnused(uint32_t value);

  // ---- At calls and at the ends of blocks ----
  // Stores the parts that are needed after the current instruction and are only in registers. The
  // instruction's uses must have been counted down.
  void SpillSurvivors();
  // Stores the parts that are live after the current block and are only in registers.
  void SpillLiveOut();
  // Stores the parts that may be live at the beginning of block number `target` and are only in
  // registers. The block must be a successor of the current one.
  void SpillLiveInto(uint32_t target);
  // Marks all registers except the fixed ones as free.
  void ForgetRegisters();
  // Called at the end of the current block: frees the values that die in the block.
  void EndBlock();

 private:
  Register Take(bool is_vector);
  void Evict(Register reg);
  void Own(Register reg, uint32_t part);
  void Disown(Register reg);
  void Free(uint32_t value);
  // Of a value without further uses, in this block or others: frees its registers.
  void UsedLast(uint32_t value);
  // Makes `reg` hold a copy of the part, which is in another register or in its slot.
  void CopyTo(Register reg, uint32_t part);

  FunctionFacts& facts_;
  Frame& frame_;
  Assembler& assembler_;
  RegisterState registers_;
  uint32_t block_ = 0;
  bool has_failed_ = false;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_VALUE_LOCATIONS_H_
