#include "backend/baseline/register_fixer.h"

#include <algorithm>
#include <cstddef>

namespace firstcall::baseline {
namespace {

// More candidates than this are not worth sorting.
constexpr size_t kMostCandidates = 256;
// A fixed register that is callee-saved costs a store and a load. The value's uses must save more.
constexpr uint32_t kLeastWeight = 4;

bool NeedsVector(const ValuePart& value) {
  if (!value.is_alloca) return value.is_vector;
  return value.contents == Contents::kFloat || value.contents == Contents::kDouble;
}

unsigned BytesOf(Contents contents) {
  switch (contents) {
    case Contents::kNone:
      return 0;
    case Contents::kInt8:
      return 1;
    case Contents::kInt16:
      return 2;
    case Contents::kInt32:
    case Contents::kFloat:
      return 4;
    case Contents::kInt64:
    case Contents::kDouble:
      return 8;
  }
  return 0;
}

}  // namespace

void RegisterFixer::CollectCandidates(const std::vector<ValuePart>& values,
                                      const std::vector<uint32_t>& weights) {
  candidates_.clear();
  for (uint32_t number = 0; number < values.size(); number += values[number].parts) {
    const ValuePart& value = values[number];
    if (weights[number] < kLeastWeight) continue;
    if (value.is_alloca) {
      if (value.contents == Contents::kNone) continue;
    } else {
      if (value.first_block == value.last_block && !value.is_phi) continue;
      if (value.is_deferred || value.parts != 1) continue;
    }
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
    if (NeedsVector(value)) {
      if (meets_call || !try_all(architecture_.registers.vector_between_calls)) {
        if (value.bytes <= 8) try_all(architecture_.registers.vector_across_calls);
      }
    } else if (meets_call || !try_all(architecture_.registers.between_calls)) {
      try_all(architecture_.registers.across_calls);
    }
    if (!value.is_fixed) continue;
    fixed |= SetOf(value.reg);
    if (!value.is_alloca) continue;
    // No instruction needs the address in a register: from here on the part is about the contents.
    value.is_vector = IsVector(value.reg);
    value.bytes = static_cast<uint8_t>(BytesOf(value.contents));
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
