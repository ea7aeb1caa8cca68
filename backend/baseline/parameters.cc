#include "backend/baseline/parameters.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "backend/baseline/argument_places.h"
#include "backend/baseline/call_attributes.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/moves.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/own_registers.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/value_slots.h"
#include "ir/attributes.h"

namespace firstcall::baseline {
namespace {

// A part that stays in the register in which it arrives.
struct Stay {
  uint32_t part;
  Register reg;
};
using Stays = absl::InlinedVector<Stay, 16>;

// A part with a fixed register moves to that register. Another part stays in the register in which
// it arrives, at `place`, if that register can be allocated; otherwise it goes to a slot.
void BindPart(FunctionCode& code, uint32_t number, const ArgumentPlace& place, Stays& stays) {
  ValuePart& part = code.facts.values[number];
  Move move;
  move.is_vector = part.is_vector;
  move.bytes = part.is_vector ? part.bytes : std::max<uint8_t>(part.bytes, 4);
  if (place.reg == kNoRegister) {
    if (!part.is_fixed) {
      // The part stays in the caller's place, which is never given to another value.
      part.slot = place.offset;
      part.is_incoming = part.is_spilled = true;
      return;
    }
    move.source = Move::Source::kMemory;
    move.from_memory = code.frame.Incoming(place.offset);
    move.to = part.reg;
    code.moves.Add(move);
    return;
  }
  move.from = place.reg;
  if (part.is_fixed) {
    move.to = part.reg;
  } else if (code.locations.registers().IsAllocatable(place.reg)) {
    stays.push_back({number, place.reg});
    return;
  } else {
    GiveSlot(code.frame, part);
    part.is_spilled = true;
    move.to_memory = SlotOf(code.frame, part);
  }
  code.moves.Add(move);
}

// Binds the parameters one after the other. Returns where the address of the result in memory
// (sret) arrives, if there is one.
std::optional<ArgumentPlace> BindEach(FunctionCode& code, ArgumentPlaces& places, Stays& stays) {
  std::optional<ArgumentPlace> result_address;
  for (uint32_t argument = 0; argument < code.function->argument_count(); ++argument) {
    const uint32_t number = NumberOf(code, ir::Operand::Value(argument));
    const ir::AttributeSet& attributes = code.function->attributes().OfParameter(argument);
    if (attributes.Has(ir::Attribute::kByVal)) {
      const ArgumentPlace place =
          places.ByValue(attributes.type->alloc_size, ByValueAlignment(attributes));
      code.facts.values[number].slot = place.offset;
      continue;
    }
    if (number == kNone) continue;
    if (attributes.Has(ir::Attribute::kSwiftError)) {
      const int32_t place = code.frame.Allocate(8, 8);
      code.parameters.error_place = code.facts.values[number].slot = place;
      code.assembler.Store(8, code.frame.At(place), code.architecture.swift.error);
      continue;
    }
    const ir::Value& value = code.function->values[argument];
    const bool is_result = attributes.Has(ir::Attribute::kStructRet);
    const auto bind = [&](unsigned part, const ArgumentPlace& place) {
      if (is_result) result_address = place;
      if (value.uses != 0) BindPart(code, number + part, place, stays);
    };
    const Register own = OwnRegisterOf(*code.function, argument, code.architecture);
    if (own != kNoRegister) {
      bind(0, ArgumentPlace{own, 0});
    } else {
      places.ForEachPart(*value.type, PartsOf(value.type), bind);
    }
  }
  return result_address;
}

}  // namespace

void BindParameters(FunctionCode& code) {
  const CallingConvention& convention =
      code.architecture.ConventionOf(code.function->global().convention());
  ArgumentPlaces places(convention);
  Stays stays;
  code.parameters = Parameters();
  const std::optional<ArgumentPlace> result_address = BindEach(code, places, stays);
  code.parameters.named_general = places.general();
  code.parameters.named_vectors = places.vectors();
  code.parameters.named_stack = (places.stack_bytes() + 7) & ~7;
  if (code.function->global().value_type()->is_variadic) {
    code.native.frame.SaveArgumentRegisters(code);
  }
  if (result_address && convention.returns_result_address) {
    Register reg = result_address->reg;
    if (reg == kNoRegister) {
      reg = code.architecture.scratch;
      code.assembler.Load(8, reg, code.frame.Incoming(result_address->offset));
    }
    code.parameters.result_address = code.frame.Allocate(8, 8);
    code.assembler.Store(8, code.frame.At(code.parameters.result_address), reg);
  }
  EmitMoves(code);
  for (const Stay& stay : stays) code.locations.DefineIn(stay.part, stay.reg);
  code.locations.registers().UnpinAll();
}

}  // namespace firstcall::baseline
