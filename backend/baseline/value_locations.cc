#include "backend/baseline/value_locations.h"

#include "llvm/ADT/bit.h"

namespace firstcall::baseline {
namespace {

RegisterSet OfKind(bool is_vector) { return is_vector ? ~kGeneralRegisters : kGeneralRegisters; }

template <typename Visit>
void ForEach(RegisterSet set, Visit visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<Register>(llvm::countr_zero(set)));
}

// The bytes of a general register that have to be kept.
unsigned SlotBytes(const ValuePart& part) { return part.bytes > 4 ? part.bytes : 4; }

}  // namespace

void ValueLocations::Begin(RegisterSet allocatable) {
  allocatable_ = allocatable & ~analysis_.fixed_registers();
  owned_ = pinned_ = 0;
  clock_ = 0;
  has_failed_ = false;
  block_ = 0;
}

void ValueLocations::Own(Register reg, uint32_t part) {
  owner_[reg] = part;
  owned_ |= SetOf(reg);
  Part(part).reg = reg;
  last_use_[reg] = ++clock_;
}

void ValueLocations::Disown(Register reg) {
  if ((owned_ & SetOf(reg)) == 0) return;
  Part(owner_[reg]).reg = kNoRegister;
  owned_ &= ~SetOf(reg);
}

void ValueLocations::Evict(Register reg) {
  if ((owned_ & SetOf(reg)) == 0) return;
  Spill(owner_[reg]);
  Disown(reg);
}

void ValueLocations::GiveSlot(uint32_t number) {
  ValuePart& part = Part(number);
  if (part.slot == 0 && !part.is_incoming) part.slot = frame_.AllocateSlot(part.bytes);
}

void ValueLocations::Spill(uint32_t number) {
  ValuePart& part = Part(number);
  if (part.is_spilled || part.is_fixed || part.is_alloca) return;
  GiveSlot(number);
  const Mem slot = SlotOf(number);
  if (part.is_vector) {
    assembler_.VectorStore(part.bytes, slot, part.reg);
  } else {
    assembler_.Store(SlotBytes(part), slot, part.reg);
  }
  part.is_spilled = true;
}

void ValueLocations::LoadInto(Register reg, uint32_t number) {
  const ValuePart& part = Part(number);
  const Mem slot = SlotOf(number);
  if (part.is_alloca) {
    assembler_.Lea(reg, slot);
  } else if (part.is_vector) {
    assembler_.VectorLoad(part.bytes, reg, slot);
  } else {
    assembler_.Load(SlotBytes(part), reg, slot);
  }
}

void ValueLocations::MoveRegister(Register to, Register from) {
  if (to == from) return;
  if (IsVector(to)) {
    assembler_.VectorMov(to, from);
  } else {
    assembler_.Mov(8, to, from);
  }
}

Register ValueLocations::Take(bool is_vector) {
  const RegisterSet usable = allocatable_ & ~pinned_ & OfKind(is_vector);
  if (const RegisterSet free = usable & ~owned_; free != 0) {
    return static_cast<Register>(llvm::countr_zero(free));
  }
  Register victim = kNoRegister;
  bool is_cheap = false;
  ForEach(usable, [&](Register reg) {
    const ValuePart& part = Part(owner_[reg]);
    const bool costs_nothing = part.is_spilled || part.is_alloca;
    if (victim != kNoRegister) {
      if (is_cheap && !costs_nothing) return;
      if (is_cheap == costs_nothing && last_use_[reg] >= last_use_[victim]) return;
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
  Pin(reg);
  return reg;
}

Register ValueLocations::In(uint32_t number) {
  ValuePart& part = Part(number);
  if (part.reg == kNoRegister) {
    const Register reg = Temporary(part.is_vector);
    LoadInto(reg, number);
    Own(reg, number);
    return reg;
  }
  if (!part.is_fixed) {
    Pin(part.reg);
    last_use_[part.reg] = ++clock_;
  }
  return part.reg;
}

Register ValueLocations::Define(uint32_t number) {
  ValuePart& part = Part(number);
  if (part.is_fixed) return part.reg;
  const bool is_free =
      part.wish != kNoRegister && (allocatable_ & ~owned_ & ~pinned_ & SetOf(part.wish)) != 0;
  const Register reg = is_free ? part.wish : Take(part.is_vector);
  Pin(reg);
  Own(reg, number);
  return reg;
}

void ValueLocations::DefineIn(uint32_t number, Register reg) {
  ValuePart& part = Part(number);
  if (part.is_fixed) {
    MoveRegister(part.reg, reg);
    return;
  }
  Pin(reg);
  Own(reg, number);
}

bool ValueLocations::DiesHere(uint32_t number) const {
  const ValuePart& value = ValueOf(number);
  return value.uses == 1 && value.last_block <= block_ && !value.is_fixed && !value.is_alloca;
}

void ValueLocations::Release(Register reg) {
  if (reg == kNoRegister || (allocatable_ & SetOf(reg)) == 0) return;
  if ((owned_ & SetOf(reg)) != 0) {
    if (!DiesHere(owner_[reg])) return;
    Disown(reg);
  }
  pinned_ &= ~SetOf(reg);
}

bool ValueLocations::IsBestInMemory(uint32_t number) const {
  const ValuePart& part = Part(number);
  return part.reg == kNoRegister && part.is_spilled && !part.is_alloca && DiesHere(number);
}

Register ValueLocations::DefineFrom(uint32_t number, uint32_t from) {
  ValuePart& part = Part(number);
  const Register source = In(from);
  if (!part.is_fixed && DiesHere(from)) {
    Disown(source);
    Own(source, number);
    return source;
  }
  const Register reg = Define(number);
  MoveRegister(reg, source);
  return reg;
}

void ValueLocations::Claim(Register reg) {
  if ((owned_ & SetOf(reg)) != 0) {
    const uint32_t part = owner_[reg];
    const RegisterSet free = allocatable_ & ~pinned_ & ~owned_ & OfKind(IsVector(reg));
    if (free != 0) {
      const Register other = static_cast<Register>(llvm::countr_zero(free));
      MoveRegister(other, reg);
      Disown(reg);
      Own(other, part);
    } else {
      Evict(reg);
    }
  }
  Pin(reg);
}

void ValueLocations::Claim(Register reg, uint32_t number) {
  if (Part(number).reg == reg && !Part(number).is_fixed) {
    if (DiesHere(number)) {
      Disown(reg);
    } else {
      Claim(reg);  // A copy of it is elsewhere now, and this one still here.
    }
    Pin(reg);
    return;
  }
  Claim(reg);
  if (const Register source = Part(number).reg; source != kNoRegister) {
    MoveRegister(reg, source);
  } else {
    LoadInto(reg, number);
  }
}

Register ValueLocations::Copy(uint32_t number) {
  if (Part(number).reg != kNoRegister && DiesHere(number)) {
    const Register reg = Part(number).reg;
    Disown(reg);
    Pin(reg);
    return reg;
  }
  const Register reg = Temporary(Part(number).is_vector);
  if (const Register source = Part(number).reg; source != kNoRegister) {
    MoveRegister(reg, source);
  } else {
    LoadInto(reg, number);
  }
  return reg;
}

void ValueLocations::Free(uint32_t value) {
  const unsigned parts = Part(value).parts;
  for (uint32_t number = value; number < value + parts; ++number) {
    ValuePart& part = Part(number);
    if (part.is_fixed) continue;
    if (part.reg != kNoRegister) Disown(part.reg);
    if (part.slot != 0 && !part.is_incoming) frame_.FreeSlot(part.slot, part.bytes);
    part.slot = 0;
    part.is_spilled = false;
  }
}

void ValueLocations::Used(uint32_t value) {
  ValuePart& part = Part(value);
  if (--part.uses != 0 || part.last_block > block_ || part.is_alloca) return;
  if (part.first_block == part.last_block) {
    Free(value);
    return;
  }
  // What lives in several blocks is in the list of its last one, which frees its slot.
  for (uint32_t number = value; number < value + part.parts; ++number) {
    if (Part(number).reg != kNoRegister && !Part(number).is_fixed) Disown(Part(number).reg);
  }
}

void ValueLocations::DropIfUnused(uint32_t value) {
  const ValuePart& part = Part(value);
  if (part.uses == 0 && part.first_block == part.last_block && !part.is_alloca) Free(value);
}

void ValueLocations::SpillSurvivors() {
  ForEach(owned_, [&](Register reg) {
    const ValuePart& value = ValueOf(owner_[reg]);
    if (value.uses != 0 || value.last_block > block_) Spill(owner_[reg]);
  });
}

void ValueLocations::SpillLiveOut() {
  ForEach(owned_, [&](Register reg) {
    if (ValueOf(owner_[reg]).last_block > block_) Spill(owner_[reg]);
  });
}

void ValueLocations::ForgetRegisters() {
  ForEach(owned_, [&](Register reg) { Disown(reg); });
}

void ValueLocations::EndBlock() {
  for (uint32_t value = analysis_.facts(block_).first_to_die; value != kNone;) {
    const uint32_t next = Part(value).next_to_die;
    Free(value);
    value = next;
  }
}

}  // namespace firstcall::baseline
