#include "direct/osr/poll_places.h"

#include "direct/osr/address_uses.h"
#include "direct/osr/frame_needs.h"
#include "direct/osr/label_number.h"
#include "ir/instruction.h"
#include "ir/intrinsic.h"
#include "seam/hotness_counter.h"

namespace firstcall::direct {
namespace {

// Behind the variables with which the first block begins.
uint32_t PlaceAtBeginning(const ir::Function& function) {
  uint32_t number = 0;
  for (const ir::Instruction& instruction : function.InstructionsOf(function.blocks[0])) {
    const bool is_passed = IsStaticAlloca(function, instruction) ||
                           IsDebugCall(function, instruction) ||
                           function.IntrinsicOf(instruction) == ir::IntrinsicId::kPseudoprobe;
    if (!is_passed) break;
    ++number;
  }
  return number;
}

}  // namespace

void PollPlaces::Find(const ir::Function& function, const LoopEntries& entries,
                      absl::Span<const uint32_t> loops, bool asks_when_called) {
  polls_.clear();
  loops_ = loops.size();
  const auto old = static_cast<uint32_t>(function.blocks.size());
  uint32_t next = old + static_cast<uint32_t>(loops_) + (asks_when_called ? 1 : 0);
  poll_of_.assign(old, 0);
  const auto add = [&](uint32_t loop, uint32_t block, uint32_t place, uint32_t ask) {
    const auto number = static_cast<uint32_t>(polls_.size());
    polls_.push_back({loop, block, place, old + number, ask});
    poll_of_[block] = number + 1;
  };
  for (uint32_t loop : loops) {
    const uint32_t block = entries.block(loop);
    const ir::Instruction& place = function.FirstBehindPhis(function.blocks[block]);
    add(loop, block, function.NumberOf(place), next);
    next += 2;
    for (const LoopEntry::Value& value : entries.At(loop).values) {
      if (value.is_label) next += kBlocksOfLabelNumber;
    }
  }
  leave_ = next;
  if (asks_when_called) {
    add(kNoLoop, 0, PlaceAtBeginning(function), loops.empty() ? next : leave_ + 1);
  }
}

}  // namespace firstcall::direct
