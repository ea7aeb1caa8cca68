#include "backend/baseline/mask_expansion.h"

#include "backend/baseline/value_parts.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

// Whether there is an integer of as many bits as the vector of i1 has lanes.
bool FitsInteger(const ir::Type* type) {
  constexpr uint64_t kMostBits = 128;
  return type->IsFixedVector() && type->element()->IsInteger(1) && type->count <= kMostBits;
}

bool IsExpanded(const ir::Function& function, const ir::Instruction& instruction) {
  const auto type_at = [&](uint32_t index) { return function.TypeAt(instruction, index); };
  switch (instruction.opcode) {
    case Opcode::kLoad:
      return FitsInteger(instruction.type) && !instruction.IsAtomic();
    case Opcode::kStore:
      return FitsInteger(type_at(1)) && !instruction.IsAtomic();
    case Opcode::kBitCast: {
      const ir::Type* const from = type_at(0);
      const ir::Type* const to = instruction.type;
      return (FitsInteger(from) || FitsInteger(to)) && !from->IsInteger() && !to->IsInteger() &&
             PartCount(from) != 0 && PartCount(to) != 0;
    }
    default:
      return false;
  }
}

}  // namespace

ExpansionWriter::Source MaskExpansion::Write(const ir::Instruction& instruction) {
  using Source = ExpansionWriter::Source;
  const auto integer_of = [&](const ir::Type* mask) {
    return writer_.types().Integer(static_cast<uint32_t>(mask->count));
  };
  const auto set_access = [&](ir::Instruction& access) {
    access.is_volatile = instruction.is_volatile;
    access.alignment_log = instruction.alignment_log;
  };
  if (instruction.opcode == Opcode::kLoad) {
    const Source bits =
        writer_.Add(Opcode::kLoad, integer_of(instruction.type), {writer_.Old(instruction, 0)});
    set_access(writer_.rewriter().Last());
    return writer_.Add(Opcode::kBitCast, instruction.type, {bits});
  }
  const bool is_store = instruction.opcode == Opcode::kStore;
  const Source value = writer_.Old(instruction, is_store ? 1 : 0);
  const ir::Type* const type = writer_.TypeOf(value);
  if (!is_store) {
    const ir::Type* const word = integer_of(FitsInteger(type) ? type : instruction.type);
    return writer_.Add(Opcode::kBitCast, instruction.type,
                       {writer_.Add(Opcode::kBitCast, word, {value})});
  }
  const Source bits = writer_.Add(Opcode::kBitCast, integer_of(type), {value});
  const Source stored =
      writer_.Add(Opcode::kStore, instruction.type, {writer_.Old(instruction, 0), bits});
  set_access(writer_.rewriter().Last());
  return stored;
}

bool MaskExpansion::Expand(ir::Function& function) {
  return writer_.Expand(
      function,
      [&](const ir::Instruction& instruction) { return IsExpanded(function, instruction); },
      [this](const ir::Instruction& instruction) { return Write(instruction); });
}

}  // namespace firstcall::baseline
