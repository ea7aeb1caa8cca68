#include "backend/baseline/lanes.h"

#include <cstdint>

#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {

unsigned LaneCount(const ir::Type* type) { return static_cast<unsigned>(type->count); }

unsigned LaneBits(const ir::Type* type) {
  const ir::Type* element = type->element();
  if (element->IsInteger(1)) return MaskLaneBits(type->count);
  return element->IsPointer() ? 64 : static_cast<unsigned>(element->bit_size);
}

Mem LanePlaces::Allocate(const ir::Type* type) {
  if (const unsigned parts = PartCount(type); parts > 1) {
    WidePlaces& wide = parts <= 8 ? wide_ : widest_;
    const int64_t bytes = parts <= 8 ? 128 : 256;
    if (wide.used == wide.places.size()) wide.places.push_back(frame_.Allocate(bytes, 16));
    return frame_.At(wide.places[wide.used++]);
  }
  slots_.push_back(frame_.AllocateSlot(16));
  return frame_.At(slots_.back());
}

void LanePlaces::FreeAll() {
  wide_.used = widest_.used = 0;
  for (int32_t slot : slots_) frame_.FreeSlot(slot, 16);
  slots_.clear();
}

Lanes LanesOf(FunctionCode& code, ir::Operand vector) {
  Lanes lanes;
  lanes.stride = LaneBits(TypeOf(code, vector)) / 8;
  const unsigned parts = PartCount(TypeOf(code, vector));
  if (const ir::Constant* constant = ConstantOf(code, vector); constant && parts == 1) {
    const ConstantPart part = PartOf(code, *constant, 0);
    lanes.mem = Mem::Relative(RelativeTo::kPool, code.pool.Constant(part.low, part.high, 16));
    return lanes;
  }
  if (const uint32_t number = NumberOf(code, vector);
      parts == 1 && code.facts.values[number].is_spilled) {
    lanes.mem = SlotOf(code.frame, code.facts.values[number]);
    return lanes;
  }
  lanes.mem = code.lanes.Allocate(TypeOf(code, vector));
  StoreParts(code, lanes.mem, vector);
  return lanes;
}

void StoreParts(FunctionCode& code, const Mem& mem, ir::Operand vector) {
  const unsigned parts = PartCount(TypeOf(code, vector));
  for (unsigned i = 0; i < parts; ++i) {
    const Register reg = In(code, vector, i);
    code.assembler.VectorStore(16, mem.Plus(static_cast<int32_t>(16 * i)), reg);
    code.locations.registers().Unpin(reg);
  }
}

void LoadLane(FunctionCode& code, Register dst, const Lanes& lanes, unsigned lane, bool is_signed) {
  if (is_signed && lanes.stride < 8) {
    code.assembler.LoadSigned(lanes.stride, 8, dst, lanes.At(lane));
  } else {
    code.assembler.Load(lanes.stride, dst, lanes.At(lane));
  }
}

void StoreLane(FunctionCode& code, const Lanes& lanes, unsigned lane, Register value) {
  code.assembler.Store(lanes.stride, lanes.At(lane), value);
}

Mem IndexedLane(FunctionCode& code, const Lanes& lanes, ir::Operand index, unsigned count,
                Register value) {
  const Register number = InExtended(code, index, false, 8);
  code.assembler.Mov(4, code.architecture.scratch, number);
  // A place has room for as many lanes as the next power of two.
  unsigned room = 1;
  while (room < count) room *= 2;
  code.assembler.AluRi(Alu::kAnd, 4, code.architecture.scratch, static_cast<int32_t>(room) - 1);
  code.assembler.Lea(value, lanes.mem);
  Mem mem = Mem::At(value);
  mem.index = code.architecture.scratch;
  mem.scale = lanes.stride == 8 ? 3 : lanes.stride == 4 ? 2 : lanes.stride == 2 ? 1 : 0;
  return mem;
}

}  // namespace firstcall::baseline
