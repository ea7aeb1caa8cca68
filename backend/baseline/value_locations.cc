#include "backend/baseline/value_locations.h"

#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

// The first register of a set that is not empty.
Register FirstOf(RegisterSet set) { return static_cast<Register>(__builtin_ctzll(set)); }

template <typename Visit>
void ForEach(RegisterSet set, Visit visit) {
  for (; set != 0; set &= set - 1) visit(FirstOf(set));
}

// The first part of the part's value, which has the facts of the value.
const ValuePart& ValueOf(const FunctionFacts& facts, uint32_t part) {
  return facts.values[part - facts.values[part].index];
}

}  // namespace

void ValueLocations::Begin(RegisterSet allocatable) {
  registers_.Begin(allocatable & ~facts_.fixed_registers);
  has_failed_ = false;
  block_ = 0;
}

void ValueLocations::Own(Register reg, uint32_t part) {
  registers_.Own(reg, part);
  facts_.values[part].reg = reg;
}

void ValueLocations::Disown(Register reg) {
  if (!registers_.IsOwned(reg)) return;
  facts_.values[registers_.OwnerOf(reg)].reg = kNoRegister;
  registers_.Disown(reg);
}

void ValueLocations::Evict(Register reg) {
  if (!registers_.IsOwned(reg)) return;
  Spill(frame_, assembler_, facts_.values[registers_.OwnerOf(reg)]);
  Disown(reg);
}

void ValueLocations::CopyTo(Register reg, uint32_t number) {
  const ValuePart& part = facts_.values[number];
  if (part.reg != kNoRegister) {
    assembler_.MoveWhole(reg, part.reg);
  } else {
    LoadFromSlot(frame_, assembler_, part, reg);
  }
}

Register ValueLocations::Take(bool is_vector) {
  if (const RegisterSet free = registers_.Free(is_vector); free != 0) return FirstOf(free);
  Register victim = kNoRegister;
  bool is_cheap = false;
  ForEach(registers_.Unpinned(is_vector), [&](Register reg) {
    const ValuePart& part = facts_.values[registers_.OwnerOf(reg)];
    const bool costs_nothing = part.is_spilled || part.is_alloca;
    if (victim != kNoRegister) {
      if (is_cheap && !costs_nothing) return;
      if (is_cheap == costs_nothing && !registers_.IsOlder(reg, victim)) return;
    }
    victim = reg;
    is_cheap = costs_nothing;
  });
  if (victim == kNoRegister) {
    has_failed_ = true;  // Whatever it is: the code will not be used.
    victim = is_vector ? kFirstVector : GeneralRegister(0);
  }
  Evict(victim);
  return victim;
}

Register ValueLocations::Temporary(bool is_vector) {
  const Register reg = Take(is_vector);
  registers_.Pin(reg);
  return reg;
}

Register ValueLocations::In(uint32_t number) {
  ValuePart& part = facts_.values[number];
  if (part.reg == kNoRegister) {
    const Register reg = Temporary(part.is_vector);
    LoadFromSlot(frame_, assembler_, part, reg);
    Own(reg, number);
    return reg;
  }
  if (!part.is_fixed) {
    registers_.Pin(part.reg);
    registers_.Touch(part.reg);
  }
  return part.reg;
}

Register ValueLocations::Define(uint32_t number) {
  ValuePart& part = facts_.values[number];
  if (part.is_fixed) return part.reg;
  const bool is_free = part.wish != kNoRegister && registers_.IsFree(part.wish);
  const Register reg = is_free ? part.wish : Take(part.is_vector);
  registers_.Pin(reg);
  Own(reg, number);
  return reg;
}

void ValueLocations::DefineIn(uint32_t number, Register reg) {
  ValuePart& part = facts_.values[number];
  if (part.is_fixed) {
    assembler_.MoveWhole(part.reg, reg);
    return;
  }
  registers_.Pin(reg);
  Own(reg, number);
}

bool ValueLocations::DiesHere(uint32_t number) const {
  const ValuePart& value = ValueOf(facts_, number);
  return value.uses == 1 && value.last_block <= block_ && !value.is_fixed && !value.is_alloca;
}

void ValueLocations::Release(Register reg) {
  if (reg == kNoRegister || !registers_.IsAllocatable(reg)) return;
  if (registers_.IsOwned(reg)) {
    if (!DiesHere(registers_.OwnerOf(reg))) return;
    Disown(reg);
  }
  registers_.UnpinWholly(reg);
}

bool ValueLocations::IsBestInMemory(uint32_t number) const {
  const ValuePart& part = facts_.values[number];
  return part.reg == kNoRegister && part.is_spilled && !part.is_alloca && DiesHere(number);
}

Register ValueLocations::DefineFrom(uint32_t number, uint32_t from) {
  ValuePart& part = facts_.values[number];
  const Register source = In(from);
  if (!part.is_fixed && DiesHere(from)) {
    Disown(source);
    Own(source, number);
    return source;
  }
  const Register reg = Define(number);
  assembler_.MoveWhole(reg, source);
  return reg;
}

void ValueLocations::Claim(Register reg) {
  if (registers_.IsOwned(reg)) {
    const uint32_t part = registers_.OwnerOf(reg);
    if (const RegisterSet free = registers_.Free(IsVector(reg)); free != 0) {
      const Register other = FirstOf(free);
      assembler_.MoveWhole(other, reg);
      Disown(reg);
      Own(other, part);
    } else {
      Evict(reg);
    }
  }
  registers_.Pin(reg);
}

void ValueLocations::Claim(Register reg, uint32_t number) {
  if (facts_.values[number].reg == reg && !facts_.values[number].is_fixed) {
    if (DiesHere(number)) {
      Disown(reg);
    } else {
      Claim(reg);  // A copy of it is elsewhere now, and this one still here.
    }
    registers_.Pin(reg);
    return;
  }
  Claim(reg);
  CopyTo(reg, number);
}

Register ValueLocations::Copy(uint32_t number) {
  if (facts_.values[number].reg != kNoRegister && DiesHere(number)) {
    const Register reg = facts_.values[number].reg;
    Disown(reg);
    registers_.Pin(reg);
    return reg;
  }
  const Register reg = Temporary(facts_.values[number].is_vector);
  CopyTo(reg, number);
  return reg;
}

void ValueLocations::Free(uint32_t value) {
  const unsigned parts = facts_.values[value].parts;
  for (uint32_t number = value; number < value + parts; ++number) {
    ValuePart& part = facts_.values[number];
    if (part.is_fixed) continue;
    if (part.reg != kNoRegister) Disown(part.reg);
    FreeSlot(frame_, part);
  }
}

void ValueLocations::UsedLast(uint32_t value) {
  const ValuePart& part = facts_.values[value];
  if (part.first_block == part.last_block) {
    Free(value);
    return;
  }
  // What lives in several blocks is in the list of its last one, which frees its slot.
  for (uint32_t number = value; number < value + part.parts; ++number) {
    if (facts_.values[number].reg != kNoRegister && !facts_.values[number].is_fixed) {
      Disown(facts_.values[number].reg);
    }
  }
}

void ValueLocations::DropIfUnused(uint32_t value) {
  const ValuePart& part = facts_.values[value];
  if (part.uses == 0 && part.first_block == part.last_block && !part.is_alloca) Free(value);
}

void ValueLocations::SpillSurvivors() {
  ForEach(registers_.owned(), [&](Register reg) {
    const uint32_t part = registers_.OwnerOf(reg);
    const ValuePart& value = ValueOf(facts_, part);
    if (value.uses != 0 || value.last_block > block_) {
      Spill(frame_, assembler_, facts_.values[part]);
    }
  });
}

void ValueLocations::SpillLiveOut() {
  ForEach(registers_.owned(), [&](Register reg) {
    const uint32_t part = registers_.OwnerOf(reg);
    if (ValueOf(facts_, part).last_block > block_) Spill(frame_, assembler_, facts_.values[part]);
  });
}

void ValueLocations::SpillLiveInto(uint32_t target) {
  ForEach(registers_.owned(), [&](Register reg) {
    const uint32_t part = registers_.OwnerOf(reg);
    const ValuePart& value = ValueOf(facts_, part);
    if (value.first_block <= target && target <= value.last_block) {
      Spill(frame_, assembler_, facts_.values[part]);
    }
  });
}

void ValueLocations::ForgetRegisters() {
  ForEach(registers_.owned(), [&](Register reg) { Disown(reg); });
}

void ValueLocations::EndBlock() {
  for (uint32_t value = facts_.blocks[block_].first_to_die; value != kNone;) {
    const uint32_t next = facts_.values[value].next_to_die;
    Free(value);
    value = next;
  }
}

}  // namespace firstcall::baseline
