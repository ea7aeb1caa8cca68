#include "direct/osr/loop_entries.h"

#include "ir/instruction.h"
#include "ir/opcode.h"

namespace firstcall::direct {
namespace {

using ir::Opcode;
using ir::TypeKind;

// The most live-ins of one entry.
constexpr uint32_t kMaxLive = 128;

bool IsPad(Opcode opcode) {
  return opcode == Opcode::kLandingPad || opcode == Opcode::kCleanupPad ||
         opcode == Opcode::kCatchPad || opcode == Opcode::kCatchSwitch;
}

}  // namespace

void LoopEntries::Begin(const ir::Function& function) {
  function_ = &function;
  graph_.Build(function);
  search_.Run(graph_);
  users_.Begin(function);
  found_.assign(search_.loop_headers().size(), Found());
  variable_list_.clear();
  value_list_.clear();
  is_any_possible_.reset();
  indirect_targets_.reset();
  has_labels_ = has_liveness_ = false;
}

const Labels& LoopEntries::labels() {
  if (!has_labels_) labels_.Find(*function_, users_);
  has_labels_ = true;
  return labels_;
}

const std::vector<uint32_t>& LoopEntries::indirect_targets() {
  if (!indirect_targets_) indirect_targets_ = IndirectTargets(*function_);
  return *indirect_targets_;
}

LoopEntries::Verdict LoopEntries::IsAnyPossible() {
  const Labels::Place place = labels().place();
  if (place == Labels::Place::kEscape) return Verdict::kImpossible;
  const FrameNeeds needs = FindFrameNeeds(*function_);
  if (needs.needs_its_frame == FrameNeeds::Answer::kYes) return Verdict::kImpossible;
  if (needs.needs_its_frame == FrameNeeds::Answer::kUnknown || place == Labels::Place::kUnknown) {
    return Verdict::kUnknown;
  }
  live_.Begin(*function_, graph_, search_, users_, needs.has_debug_calls);
  return Verdict::kPossible;
}

LoopEntries::Verdict LoopEntries::Find(uint32_t loop) {
  std::optional<Verdict>& verdict = found_[loop].verdict;
  if (verdict) return *verdict;
  if (!is_any_possible_) is_any_possible_ = IsAnyPossible();
  verdict = *is_any_possible_ == Verdict::kPossible ? FillIn(loop) : *is_any_possible_;
  return *verdict;
}

LoopEntry LoopEntries::At(uint32_t loop) const {
  const Found& found = found_[loop];
  LoopEntry entry;
  entry.block = block(loop);
  entry.variable_places = static_cast<uint32_t>(variables_.variables().size());
  entry.variables = {variable_list_.data() + found.first_variable, found.variable_count};
  entry.values = {value_list_.data() + found.first_value, found.value_count};
  return entry;
}

LoopEntries::Verdict LoopEntries::FillIn(uint32_t loop) {
  const uint32_t header = block(loop);
  if (IsPad(function_->FirstBehindPhis(function_->blocks[header]).opcode)) {
    return Verdict::kImpossible;
  }
  switch (live_.Find(header)) {
    case LiveValues::Answer::kFound:
      break;
    case LiveValues::Answer::kTooLong:
      return Verdict::kImpossible;
    case LiveValues::Answer::kUnknown:
      return Verdict::kUnknown;
  }
  if (!has_liveness_) variables_.Run(*function_, graph_, users_);
  has_liveness_ = true;
  Found& found = found_[loop];
  found.first_variable = static_cast<uint32_t>(variable_list_.size());
  found.first_value = static_cast<uint32_t>(value_list_.size());
  const Verdict of_variables = AddVariables(header);
  if (of_variables == Verdict::kImpossible) return of_variables;
  const Verdict of_values = AddValues();
  if (of_values == Verdict::kImpossible) return of_values;
  found.variable_count = static_cast<uint32_t>(variable_list_.size()) - found.first_variable;
  found.value_count = static_cast<uint32_t>(value_list_.size()) - found.first_value;
  if (found.variable_count + found.value_count > kMaxLive) return Verdict::kImpossible;
  return of_variables == Verdict::kUnknown ? of_variables : of_values;
}

// A variable whose address is in a live value must stay where it is, even if its value is not live.
LoopEntries::Verdict LoopEntries::AddVariables(uint32_t block) {
  Verdict verdict = Verdict::kPossible;
  named_.Find(*function_, variables_, live_.values());
  const std::vector<uint32_t>& variables = variables_.variables();
  for (uint32_t i = 0; i < variables.size(); ++i) {
    const bool is_named = named_.Has(i);
    if (!is_named) {
      const VariableLiveness::Answer is_live = variables_.IsLive(i, block);
      if (is_live == VariableLiveness::Answer::kUnknown) verdict = Verdict::kUnknown;
      if (is_live != VariableLiveness::Answer::kYes) continue;
    }
    if (labels_.Holds(variables[i])) return Verdict::kImpossible;
    variable_list_.push_back({variables[i], i, is_named});
  }
  return verdict;
}

LoopEntries::Verdict LoopEntries::AddValues() {
  Verdict verdict = Verdict::kPossible;
  for (uint32_t value : live_.values()) {
    const ir::Type& type = *function_->values[value].type;
    const bool is_label = labels_.Holds(value);
    const Verdict can_be_passed = CanBePassed(type);
    // A label is passed as a number. So it must be a single pointer, and there must be indirect
    // branches (otherwise labels are only compared).
    if (can_be_passed == Verdict::kImpossible ||
        (is_label && (!type.IsPointer() || indirect_targets().empty()))) {
      return Verdict::kImpossible;
    }
    if (can_be_passed == Verdict::kUnknown) verdict = Verdict::kUnknown;
    value_list_.push_back({value, is_label});
  }
  return verdict;
}

LoopEntries::Verdict LoopEntries::CanBePassed(const ir::Type& type) {
  if (type.kind == TypeKind::kX86Amx) return Verdict::kImpossible;
  if (type.is_sized) return Verdict::kPossible;
  // A value of scalable size has no fixed place in the memory in which live-ins are passed.
  if (type.kind == TypeKind::kToken || type.kind == TypeKind::kMetadata ||
      type.kind == TypeKind::kLabel || type.kind == TypeKind::kScalableVector) {
    return Verdict::kImpossible;
  }
  return Verdict::kUnknown;
}

}  // namespace firstcall::direct
