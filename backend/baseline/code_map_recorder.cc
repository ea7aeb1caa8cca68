#include "backend/baseline/code_map_recorder.h"

#include <cstddef>

#include "backend/baseline/function_code.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

using Kind = CodeMap::Location::Kind;

// While `instruction` is executed. `is_incoming`: whether the location's offset is relative to the
// incoming arguments.
CodeMap::Location LocationOf(const FunctionCode& code, const ir::Instruction& instruction,
                             uint32_t value, bool& is_incoming) {
  is_incoming = false;
  CodeMap::Location location;
  const uint32_t number = code.facts.numbers[value];
  if (number == kNone) return location;
  const ValuePart& part = code.facts.values[number];
  if (part.parts != 1 || part.is_deferred) return location;
  const bool is_over = part.is_fixed && code.locations.block() > part.last_block;
  if (is_over) return location;
  if (!part.is_alloca && !part.is_spilled) {
    if (part.reg == kNoRegister) return location;
    const bool is_kept =
        !instruction.IsCall() || (code.architecture.registers.callee_saved & SetOf(part.reg)) != 0;
    if (!is_kept) return location;
    location.kind = Kind::kRegister;
    location.reg = code.architecture.DwarfNumberOf(part.reg);
    return location;
  }
  const Mem slot = SlotOf(code.frame, part);
  is_incoming = slot.relative_to == RelativeTo::kIncoming;
  location.kind = part.is_alloca ? Kind::kAddressOf : Kind::kMemory;
  location.reg = code.architecture.DwarfNumberOf(code.architecture.frame_pointer);
  location.offset = slot.disp;
  return location;
}

}  // namespace

CodeMapRecorder::CodeMapRecorder(CodeMap& map) : map_(map), last_(map.watched.size()) {
  map_.places.clear();
  map_.changes.clear();
  map_.unwind.clear();
}

void CodeMapRecorder::BeginInstruction(const FunctionCode& code,
                                       const ir::Instruction& instruction) {
  const auto offset = static_cast<uint32_t>(code.assembler.size());
  const auto number = static_cast<uint32_t>(&instruction - code.function->instructions.data());
  map_.places.push_back({offset, number});
  for (size_t i = 0; i < map_.watched.size(); ++i) {
    bool is_incoming = false;
    const CodeMap::Location location = LocationOf(code, instruction, map_.watched[i], is_incoming);
    Note(offset, i, location, is_incoming);
  }
}

// A call first stores what is needed behind it and was only in a register that the callee may
// change. So during the call these values are in memory.
void CodeMapRecorder::EndInstruction(const FunctionCode& code, const ir::Instruction& instruction) {
  if (!instruction.IsCall()) return;
  for (size_t i = 0; i < map_.watched.size(); ++i) {
    if (last_[i].kind != Kind::kNowhere) continue;
    bool is_incoming = false;
    const CodeMap::Location location = LocationOf(code, instruction, map_.watched[i], is_incoming);
    Note(map_.places.back().offset, i, location, is_incoming);
  }
}

void CodeMapRecorder::Note(uint32_t offset, size_t index, const CodeMap::Location& location,
                           bool is_incoming) {
  if (location == last_[index]) return;
  last_[index] = location;
  if (is_incoming) incoming_.push_back(static_cast<uint32_t>(map_.changes.size()));
  map_.changes.push_back({offset, map_.watched[index], location});
}

void CodeMapRecorder::Finish(const FunctionCode& code, uint32_t begin, uint32_t end) {
  map_.size = end - begin;
  for (CodeMap::Place& place : map_.places) place.offset -= begin;
  for (CodeMap::Change& change : map_.changes) change.offset -= begin;
  for (uint32_t change : incoming_) {
    map_.changes[change].location.offset += static_cast<int32_t>(IncomingDistance(code));
  }
  map_.unwind = code.native.frame.rows();
}

}  // namespace firstcall::baseline
