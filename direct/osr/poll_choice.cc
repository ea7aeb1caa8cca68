#include "direct/osr/poll_choice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/opcode.h"

namespace firstcall::direct {
namespace {

// Costs without live-ins: of each poll, and of the code that all polls of a function share.
constexpr size_t kInstructionsOfPoll = 10;
constexpr size_t kInstructionsOfLeaving = 4;

// The cost of finding the number of a label, and how many table entries cost one instruction.
constexpr size_t kInstructionsOfLabel = 15;
constexpr size_t kTableEntriesPerInstruction = 8;

// When this many loops of a function have turned out to be impossible to leave or too expensive, no
// more are examined, because that takes time.
constexpr size_t kMaxMisses = 3;

}  // namespace

// Blocks that end in computed gotos come first, because they are the heads of interpreters' loops,
// wherever in the function a front end has put them.
void PollChoice::FindOrder(const ir::Function& function, const LoopEntries& entries) {
  order_.resize(entries.size());
  for (uint32_t loop = 0; loop < entries.size(); ++loop) order_[loop] = loop;
  const auto is_of_interpreter = [&](uint32_t block) {
    return function.TerminatorOf(function.blocks[block]).opcode == ir::Opcode::kIndirectBr;
  };
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    const uint32_t first = entries.block(a), second = entries.block(b);
    const bool is_before = is_of_interpreter(first);
    return is_before != is_of_interpreter(second) ? is_before : first < second;
  });
}

size_t PollChoice::CostOf(const LoopEntry& entry, LoopEntries& entries) {
  is_written_.resize(entry.variable_places);
  new_places_.clear();
  for (const LoopEntry::Variable& variable : entry.variables) {
    if (!is_written_[variable.place]) new_places_.push_back(variable.place);
  }
  size_t cost = new_places_.size() + entry.values.size();
  if (std::any_of(entry.values.begin(), entry.values.end(),
                  [](const LoopEntry::Value& value) { return value.is_label; })) {
    cost += kInstructionsOfLabel + entries.indirect_targets().size() / kTableEntriesPerInstruction;
  }
  return cost;
}

absl::Status PollChoice::Choose(const ir::Function& function, LoopEntries& entries,
                                size_t allowance) {
  taken_ = 0;
  chosen_.clear();
  is_written_.clear();
  size_t misses = 0;
  FindOrder(function, entries);
  for (const uint32_t loop : order_) {
    if (misses == kMaxMisses) break;
    size_t cost = kInstructionsOfPoll;
    if (chosen_.empty()) cost += kInstructionsOfLeaving;
    // Checked first, because computing the live-ins takes time.
    if (taken_ + cost > allowance) continue;
    const LoopEntries::Verdict verdict = entries.Find(loop);
    if (verdict == LoopEntries::Verdict::kUnknown) {
      return absl::UnimplementedError(
          absl::StrCat("choosing polls: what lives at loop ", loop, " is not known"));
    }
    if (verdict == LoopEntries::Verdict::kPossible) cost += CostOf(entries.At(loop), entries);
    if (verdict == LoopEntries::Verdict::kImpossible || taken_ + cost > allowance) {
      ++misses;
      continue;
    }
    taken_ += cost;
    for (uint32_t place : new_places_) is_written_[place] = true;
    chosen_.push_back(loop);
  }
  std::sort(chosen_.begin(), chosen_.end());
  return absl::OkStatus();
}

}  // namespace firstcall::direct
