#include "backend/baseline/code_map_recorder.h"

#include <algorithm>
#include <cstddef>

#include "backend/baseline/edges.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

using Kind = CodeMap::Location::Kind;

// Of a part that is an alloca or spilled.
CodeMap::Location SlotLocation(const FunctionCode& code, const ValuePart& part, bool& is_incoming) {
  const Mem slot = SlotOf(code.frame, part);
  is_incoming = slot.relative_to == RelativeTo::kIncoming;
  CodeMap::Location location;
  location.kind = part.is_alloca ? Kind::kAddressOf : Kind::kMemory;
  location.reg = code.architecture.DwarfNumberOf(code.architecture.frame_pointer);
  location.offset = slot.disp;
  return location;
}

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
  const bool is_alive =
      part.first_block <= code.locations.block() && code.locations.block() <= part.last_block;
  if (part.is_fixed && !is_alive) return location;
  if (part.is_fixed || (!part.is_alloca && !part.is_spilled)) {
    if (part.reg == kNoRegister) return location;
    const bool is_kept =
        !instruction.IsCall() || (code.architecture.registers.callee_saved & SetOf(part.reg)) != 0;
    if (!is_kept) return location;
    location.kind = part.is_alloca ? Kind::kVariable : Kind::kRegister;
    location.reg = code.architecture.DwarfNumberOf(part.reg);
    return location;
  }
  return SlotLocation(code, part, is_incoming);
}

// Of a part of the value that begins with `first`, at the beginning of a block with several
// predecessors.
CodeMap::Location LocationAtBlock(const FunctionCode& code, const ValuePart& first,
                                  const ValuePart& part, bool& is_incoming) {
  is_incoming = false;
  CodeMap::Location location;
  // Register variables are stored to their places when the body is left.
  if (part.is_fixed && !part.is_alloca) {
    if (code.locations.block() > first.last_block) return location;
    location.kind = Kind::kRegister;
    location.reg = code.architecture.DwarfNumberOf(part.reg);
    return location;
  }
  if (!part.is_alloca && !part.is_spilled) return location;
  return SlotLocation(code, part, is_incoming);
}

}  // namespace

CodeMapRecorder::CodeMapRecorder(CodeMap& map) : map_(map), last_(map.watched.size()) {
  map_.places.clear();
  map_.changes.clear();
  map_.unwind.clear();
  map_.parts.clear();
  map_.first_parts.clear();
  map_.blocks.clear();
  map_.has_poll = false;
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

void CodeMapRecorder::AtPoll(const FunctionCode& code, uint32_t loop) {
  if (loop != map_.loop) return;
  map_.has_poll = true;
  for (uint32_t value : map_.live) {
    map_.first_parts.push_back(static_cast<uint32_t>(map_.parts.size()));
    const uint32_t first = code.facts.numbers[value];
    if (first == kNone) continue;
    const ir::Type* const type = code.function->values[value].type;
    const PartList list = PartsOf(type);
    const PartOffsets offsets = OffsetsOf(type);
    for (uint32_t i = 0; i < list.count; ++i) {
      bool is_incoming = false;
      CodeMap::Part part;
      part.location = LocationAtBlock(code, code.facts.values[first], code.facts.values[first + i],
                                      is_incoming);
      part.bytes = list.parts[i].bytes;
      if (!list.parts[i].is_vector) part.bits = static_cast<uint8_t>(list.parts[i].bits);
      if (type->IsVector() && HasMask(type) && list.count == 1) {
        part.lanes = static_cast<uint8_t>(type->count);
      } else if (HasMask(type)) {
        part.has_mask = true;
      } else if (list.parts[i].is_vector) {
        part.bytes = static_cast<uint8_t>(list.parts[i].bits / 8);
      }
      part.offset = static_cast<uint32_t>(offsets.offsets[i]);
      if (is_incoming) incoming_parts_.push_back(static_cast<uint32_t>(map_.parts.size()));
      map_.parts.push_back(part);
    }
  }
}

void CodeMapRecorder::Finish(const FunctionCode& code, uint32_t begin, uint32_t end) {
  map_.size = end - begin;
  for (CodeMap::Place& place : map_.places) place.offset -= begin;
  for (CodeMap::Change& change : map_.changes) change.offset -= begin;
  for (uint32_t change : incoming_) {
    map_.changes[change].location.offset += static_cast<int32_t>(IncomingDistance(code));
  }
  for (uint32_t part : incoming_parts_) {
    map_.parts[part].location.offset += static_cast<int32_t>(IncomingDistance(code));
  }
  map_.leave = code.polls.leave - begin;
  map_.blocks.assign(code.function->blocks.size(), kNone);
  for (uint32_t block = 0; block < map_.blocks.size(); ++block) {
    if (!code.function->blocks[block].has_address_taken) continue;
    const uint32_t label = LabelOf(code, block);
    if (label == kNone) continue;  // Nothing leads to the block.
    const uint32_t offset = code.labels.AddressOf(block, label);
    if (offset != kNone) map_.blocks[block] = offset - begin;
  }
  map_.unwind = code.native.frame.rows();
}

}  // namespace firstcall::baseline
