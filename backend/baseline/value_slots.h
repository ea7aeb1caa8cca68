// The places in the frame of the parts of values, and what is stored to and loaded from them. A
// part is written to its slot at most once, because values never change.
//
// Thread-compatible: the functions use nothing but their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VALUE_SLOTS_H_
#define FIRSTCALL_BACKEND_BASELINE_VALUE_SLOTS_H_

#include "backend/baseline/assembler.h"
#include "backend/baseline/frame.h"
#include "backend/baseline/value_facts.h"

namespace firstcall::baseline {

// The part's place in the frame. For an alloca, the memory whose address the alloca is.
inline Mem SlotOf(const Frame& frame, const ValuePart& part) {
  return part.is_incoming ? frame.Incoming(part.slot) : frame.At(part.slot);
}

// Allocates a slot for the part, if it has none. The caller writes the part to the slot.
inline void GiveSlot(Frame& frame, ValuePart& part) {
  if (part.slot == 0 && !part.is_incoming) part.slot = frame.AllocateSlot(part.bytes);
}

// Frees the slot of a part that is dead. Then the part has no slot.
inline void FreeSlot(Frame& frame, ValuePart& part) {
  if (part.slot != 0 && !part.is_incoming) frame.FreeSlot(part.slot, part.bytes);
  part.slot = 0;
  part.is_spilled = false;
}

// The bytes of a general register that have to be kept.
inline unsigned SlotBytes(const ValuePart& part) { return part.bytes > 4 ? part.bytes : 4; }

// Stores the part, which is in a register, to its slot. Emits nothing if the slot holds the part,
// or if the part needs no slot: it has a fixed register, or is an alloca's address.
inline void Spill(Frame& frame, Assembler& assembler, ValuePart& part) {
  if (part.is_spilled || part.is_fixed || part.is_alloca) return;
  GiveSlot(frame, part);
  const Mem slot = SlotOf(frame, part);
  if (part.is_vector) {
    assembler.VectorStore(part.bytes, slot, part.reg);
  } else {
    assembler.Store(SlotBytes(part), slot, part.reg);
  }
  part.is_spilled = true;
}

// Makes `reg` hold the part, which is in its slot or is an alloca's address.
inline void LoadFromSlot(const Frame& frame, Assembler& assembler, const ValuePart& part,
                         Register reg) {
  const Mem slot = SlotOf(frame, part);
  if (part.is_alloca) {
    assembler.Lea(reg, slot);
  } else if (part.is_vector) {
    assembler.VectorLoad(part.bytes, reg, slot);
  } else {
    assembler.Load(SlotBytes(part), reg, slot);
  }
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_VALUE_SLOTS_H_
