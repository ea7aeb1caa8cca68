#include "direct/block_frequencies.h"

#include <algorithm>
#include <utility>

#include "absl/types/span.h"
#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::direct {
namespace {

// A loop goes on 31 times out of 32, and a pointer is not null 20 times out of 32.
constexpr double kStay = 31, kLeave = 1;
constexpr double kLikely = 20.0 / 32, kUnlikely = 12.0 / 32;
constexpr double kNeverWeight = 1.0 / (1 << 20), kColdWeight = 1.0 / 16;
// A loop without an end runs so often.
constexpr double kMostRounds = 4096;
// If more blocks would have to be looked at, counted once for each loop around them, nothing is
// estimated.
constexpr size_t kMostSteps = size_t{1} << 20;
// Further loops, outer ones, do not count.
constexpr size_t kMostLoops = 1000;

bool IsCold(const ir::Function& function, const ir::Instruction& call) {
  if (function.CallOf(call).attributes->function.Has(ir::Attribute::kCold)) return true;
  const ir::Global* const callee = function.GlobalOf(function.CalleeOf(call));
  return callee != nullptr && callee->IsFunction() &&
         callee->attributes()->function.Has(ir::Attribute::kCold);
}

}  // namespace

BlockFrequencies::BlockFrequencies(const ir::Function& function)
    : function_(function), count_(function.blocks.size()), frequencies_(count_, 0) {
  Order();
  FindLoops();
  if (!IsWorthwhile()) {
    frequencies_.assign(count_, 1);
    return;
  }
  FindProbabilities();
  back_.assign(count_, 0);
  for (size_t i = headers_.size(); i-- > 0;) Propagate(headers_[i]);
  Propagate(ir::kNone);
}

bool BlockFrequencies::IsWorthwhile() const {
  size_t steps = 0;
  for (uint32_t header : headers_) {
    steps += last_[header] - place_[header] + 1;
    for (uint32_t at = header; at != ir::kNone && steps <= kMostSteps; at = outer_[at]) ++steps;
    if (steps > kMostSteps) return false;
  }
  return true;
}

void BlockFrequencies::Order() {
  place_.assign(count_, ir::kNone);
  std::vector<bool> seen(count_, false);
  std::vector<std::pair<uint32_t, size_t>> path = {{0, 0}};
  seen[0] = true;
  while (!path.empty()) {
    const uint32_t block = path.back().first;
    const absl::Span<const uint32_t> successors = function_.SuccessorsOf(function_.blocks[block]);
    if (path.back().second == successors.size()) {
      order_.push_back(block);
      path.pop_back();
      continue;
    }
    const uint32_t next = successors[path.back().second++];
    if (seen[next]) continue;
    seen[next] = true;
    path.push_back({next, 0});
  }
  std::reverse(order_.begin(), order_.end());
  for (uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
}

// From the innermost loops outwards: a loop has the blocks from which ways lead to one of its back
// edges behind the header. Blocks of an inner loop are represented by its header.
void BlockFrequencies::FindLoops() {
  std::vector<std::vector<uint32_t>> before(count_);
  for (uint32_t block : order_) {
    for (uint32_t next : function_.SuccessorsOf(function_.blocks[block])) {
      before[next].push_back(block);
    }
  }
  header_.assign(count_, ir::kNone);
  outer_.assign(count_, ir::kNone);
  last_.assign(count_, 0);
  for (size_t i = order_.size(); i-- > 0 && headers_.size() < kMostLoops;) {
    const uint32_t header = order_[i];
    std::vector<uint32_t> pending;
    bool is_header = false;
    for (uint32_t latch : before[header]) {
      if (place_[latch] < i) continue;
      is_header = true;
      pending.push_back(latch);
    }
    if (!is_header) continue;
    headers_.push_back(header);
    last_[header] = static_cast<uint32_t>(i);
    header_[header] = header;
    while (!pending.empty()) {
      uint32_t block = pending.back();
      pending.pop_back();
      while (block != header && header_[block] != ir::kNone) {
        const uint32_t inner = header_[block];
        if (inner == block) {
          if (outer_[block] == ir::kNone) break;
          block = outer_[block];
        } else {
          block = inner;
        }
      }
      if (block == header || place_[block] < i) continue;
      const bool is_loop = header_[block] == block;
      (is_loop ? outer_[block] : header_[block]) = header;
      last_[header] = std::max(last_[header], is_loop ? last_[block] : place_[block]);
      for (uint32_t previous : before[block]) pending.push_back(previous);
    }
  }
  std::reverse(headers_.begin(), headers_.end());
}

bool BlockFrequencies::IsInLoop(uint32_t block, uint32_t header) const {
  uint32_t at = header_[block];
  for (size_t i = 0; at != ir::kNone && i <= headers_.size(); ++i) {
    if (at == header) return true;
    at = outer_[at];
  }
  return false;
}

double BlockFrequencies::WeightOf(uint32_t block) const {
  const ir::Block& described = function_.blocks[block];
  if (function_.TerminatorOf(described).opcode == ir::Opcode::kUnreachable ||
      function_.FirstBehindPhis(described).opcode == ir::Opcode::kLandingPad) {
    return kNeverWeight;
  }
  for (const ir::Instruction& instruction : function_.InstructionsOf(described)) {
    if (instruction.IsCall() && IsCold(function_, instruction)) return kColdWeight;
  }
  return 1;
}

double BlockFrequencies::ProbabilityOfTrue(const ir::Instruction& branch) const {
  const ir::Instruction* const condition = function_.DefinitionOf(function_.OperandOf(branch, 0));
  if (condition == nullptr || condition->opcode != ir::Opcode::kICmp) return 0.5;
  const bool compares_pointers = function_.TypeAt(*condition, 0)->IsPointer();
  const ir::Constant* const right = function_.ConstantOf(function_.OperandOf(*condition, 1));
  const bool is_zero = right != nullptr && right->IsZero();
  switch (condition->predicate()) {
    case ir::Predicate::kIcmpEq:
      return compares_pointers || is_zero ? kUnlikely : 0.5;
    case ir::Predicate::kIcmpNe:
      return compares_pointers || is_zero ? kLikely : 0.5;
    case ir::Predicate::kIcmpSlt:
      return is_zero ? kUnlikely : 0.5;
    case ir::Predicate::kIcmpSgt:
      return is_zero ? kLikely : 0.5;
    default:
      return 0.5;
  }
}

void BlockFrequencies::FindProbabilities() {
  std::vector<double> weights(count_);
  // What always leads to an end that is never reached is never reached, either.
  for (size_t i = order_.size(); i-- > 0;) {
    const uint32_t block = order_[i];
    double most = 0;
    for (uint32_t next : function_.SuccessorsOf(function_.blocks[block])) {
      most = std::max(most, place_[next] > i ? weights[next] : 1);
    }
    const double own = WeightOf(block);
    weights[block] = most == 0 ? own : std::min(own, most);
  }
  for (uint32_t block : order_) {
    const absl::Span<const uint32_t> successors = function_.SuccessorsOf(function_.blocks[block]);
    const ir::Instruction& terminator = function_.TerminatorOf(function_.blocks[block]);
    bool stays = false, leaves = false, differs = false;
    for (uint32_t next : successors) {
      const bool is_inside = header_[block] == ir::kNone || IsInLoop(next, header_[block]);
      (is_inside ? stays : leaves) = true;
      differs = differs || weights[next] != weights[successors[0]];
    }
    std::vector<double> of_edges;
    double sum = 0;
    for (size_t i = 0; i < successors.size(); ++i) {
      double weight = weights[successors[i]];
      if (stays && leaves) weight *= IsInLoop(successors[i], header_[block]) ? kStay : kLeave;
      if (!differs && !(stays && leaves) && terminator.opcode == ir::Opcode::kBr &&
          successors.size() == 2) {
        const double first = ProbabilityOfTrue(terminator);
        weight *= i == 0 ? first : 1 - first;
      }
      of_edges.push_back(weight);
      sum += weight;
    }
    for (size_t i = 0; i < successors.size(); ++i) {
      edges_.push_back({block, successors[i], of_edges[i] / sum});
    }
  }
  std::stable_sort(edges_.begin(), edges_.end(),
                   [](const Edge& a, const Edge& b) { return a.to < b.to; });
  first_edge_.assign(count_ + 1, 0);
  for (const Edge& edge : edges_) ++first_edge_[edge.to + 1];
  for (size_t i = 0; i < count_; ++i) first_edge_[i + 1] += first_edge_[i];
}

void BlockFrequencies::Propagate(uint32_t header) {
  const uint32_t first = header == ir::kNone ? 0 : header;
  const size_t begin = place_[first];
  const size_t end = header == ir::kNone ? order_.size() : last_[header] + 1;
  for (size_t i = begin; i < end; ++i) {
    const uint32_t block = order_[i];
    if (header != ir::kNone && !IsInLoop(block, header)) continue;
    double frequency = block == first ? 1 : 0;
    if (block != first || header == ir::kNone) {
      for (uint32_t e = first_edge_[block]; e < first_edge_[block + 1]; ++e) {
        const Edge& edge = edges_[e];
        const bool is_inside = header == ir::kNone || IsInLoop(edge.from, header);
        if (is_inside && place_[edge.from] < i) {
          frequency += frequencies_[edge.from] * edge.probability;
        }
      }
    }
    if (block != first || header == ir::kNone) {
      frequency *= std::min(kMostRounds, 1 / std::max(1 - back_[block], 1 / kMostRounds));
    }
    frequencies_[block] = frequency;
  }
  if (header == ir::kNone) return;
  for (uint32_t e = first_edge_[header]; e < first_edge_[header + 1]; ++e) {
    const Edge& edge = edges_[e];
    if (place_[edge.from] >= begin) back_[header] += frequencies_[edge.from] * edge.probability;
  }
}

}  // namespace firstcall::direct
