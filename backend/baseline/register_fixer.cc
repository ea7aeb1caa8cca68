#include "backend/baseline/register_fixer.h"

#include <algorithm>
#include <cstddef>

namespace firstcall::baseline {
namespace {

// More candidates than this are not worth sorting.
constexpr size_t kMostCandidates = 256;
// A fixed register that is callee-saved costs a store and a load. The value's uses must save more.
constexpr uint32_t kLeastWeight = 4;

}  // namespace

void RegisterFixer::CollectCandidates(const std::vector<ValuePart>& values,
                                      const std::vector<uint32_t>& weights) {
  candidates_.clear();
  for (uint32_t number = 0; number < values.size(); number += values[number].parts) {
    const ValuePart& value = values[number];
    if (value.first_block == value.last_block && !value.is_phi) continue;
    if (value.is_alloca || value.is_deferred || value.parts != 1) continue;
    if (weights[number] < kLeastWeight) continue;
    candidates_.push_back({number, weights[number]});
  }
  const auto is_heavier = [](const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.value < b.value;
  };
  if (candidates_.size() > kMostCandidates) {
    std::nth_element(candidates_.begin(), candidates_.begin() + kMostCandidates, candidates_.end(),
                     is_heavier);
    candidates_.resize(kMostCandidates);
  }
  std::sort(candidates_.begin(), candidates_.end(), is_heavier);
}

RegisterSet RegisterFixer::Fix(std::vector<ValuePart>& values, const std::vector<uint32_t>& weights,
                               const std::vector<BlockFacts>& facts, RegisterSet reserved) {
  CollectCandidates(values, weights);
  if (candidates_.empty()) return 0;
  for (std::vector<Interval>& intervals : taken_) intervals.clear();
  calls_before_.assign(1, 0);
  for (const BlockFacts& block : facts) {
    calls_before_.push_back(calls_before_.back() + block.has_call);
  }
  RegisterSet fixed = 0;
  for (const Candidate& candidate : candidates_) {
    ValuePart& value = values[candidate.value];
    const bool meets_call = calls_before_[value.last_block + 1] != calls_before_[value.first_block];
    const auto try_all = [&](absl::Span<const Register> registers) {
      return TryFix(value, registers, reserved);
    };
    if (value.is_vector) {
      if (meets_call || !try_all(architecture_.registers.vector_between_calls)) {
        if (value.bytes <= 8) try_all(architecture_.registers.vector_across_calls);
      }
    } else if (meets_call || !try_all(architecture_.registers.between_calls)) {
      try_all(architecture_.registers.across_calls);
    }
    if (value.is_fixed) fixed |= SetOf(value.reg);
  }
  return fixed;
}

bool RegisterFixer::TryFix(ValuePart& value, absl::Span<const Register> registers,
                           RegisterSet reserved) {
  const auto is_free = [&](Register reg) {
    return (reserved & SetOf(reg)) == 0 &&
           std::none_of(taken_[reg].begin(), taken_[reg].end(), [&](const Interval& taken) {
             return value.first_block <= taken.last && taken.first <= value.last_block;
           });
  };
  const auto found = std::find_if(registers.begin(), registers.end(), is_free);
  if (found == registers.end()) return false;
  taken_[*found].push_back({value.first_block, value.last_block});
  value.reg = *found;
  value.is_fixed = true;
  return true;
}

}  // namespace firstcall::baseline
