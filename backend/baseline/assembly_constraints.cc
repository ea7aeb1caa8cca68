#include "backend/baseline/assembly_constraints.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace firstcall::baseline {
namespace {

// Takes the braces off `text`. False if `text` has none.
bool ConsumeBraces(absl::string_view& text) {
  return absl::ConsumePrefix(&text, "{") && absl::ConsumeSuffix(&text, "}") && !text.empty();
}

// Reads what is left of an output or of an input when its marks have been read: letters, the name
// of a register, or both as alternatives, `J{cx}` or `{cx}J`; or a number.
bool ReadPlace(absl::string_view text, uint32_t outputs, AssemblyConstraint& constraint) {
  if (text.empty()) return false;
  if (const size_t begin = text.find('{'); begin != absl::string_view::npos) {
    const size_t end = text.find('}', begin);
    if (end == absl::string_view::npos || end == begin + 1) return false;
    constraint.name = text.substr(begin + 1, end - begin - 1);
    constraint.letters = begin == 0 ? text.substr(end + 1) : text.substr(0, begin);
    const bool has_more = begin != 0 && end + 1 != text.size();
    return !has_more && (constraint.letters.empty() || !constraint.is_output());
  }
  if (!absl::ascii_isdigit(text[0])) {
    constraint.letters = text;
    return true;
  }
  // Alternatives, which "|" separates, tie to one output or to none: they are no number.
  return !constraint.is_output() && absl::SimpleAtoi(text, &constraint.tied_to) &&
         constraint.tied_to < outputs;
}

bool Parse(absl::string_view text, uint32_t outputs, AssemblyConstraint& constraint) {
  if (absl::ConsumePrefix(&text, "~")) {
    constraint.kind = AssemblyConstraint::Kind::kClobber;
    constraint.name = text;
    return ConsumeBraces(constraint.name);
  }
  if (absl::StartsWith(text, "!")) return false;
  if (absl::ConsumePrefix(&text, "=")) constraint.kind = AssemblyConstraint::Kind::kOutput;
  // "&": the output may be written before all inputs have been read; no input shares its register
  // with an output anyway. "%": the operand may change places with the next one.
  while (!text.empty() && absl::StrContains("*&%", text[0])) {
    constraint.is_indirect |= text[0] == '*';
    text.remove_prefix(1);
  }
  return ReadPlace(text, outputs, constraint);
}

}  // namespace

std::optional<AssemblyConstraints> ParseConstraints(absl::string_view text) {
  AssemblyConstraints constraints;
  if (text.empty()) return constraints;
  uint32_t outputs = 0;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    AssemblyConstraint constraint;
    if (!Parse(part, outputs, constraint)) return std::nullopt;
    // Their order is that of the kinds.
    if (!constraints.empty() && constraint.kind < constraints.back().kind) return std::nullopt;
    if (constraint.is_output()) ++outputs;
    constraints.push_back(constraint);
  }
  return constraints;
}

}  // namespace firstcall::baseline
