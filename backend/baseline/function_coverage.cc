#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/coverage.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/passing_coverage.h"

namespace firstcall::baseline {
namespace {

using ir::Attribute;

constexpr uint64_t BitOf(Attribute attribute) { return uint64_t{1} << static_cast<int>(attribute); }

// Attributes of functions that only LLVM compiles. Those of address, thread and memory sanitizers
// mean nothing to a code generator, because the code is instrumented in IR.
constexpr uint64_t kRefusedAttributes =
    BitOf(Attribute::kNaked) | BitOf(Attribute::kSafeStack) | BitOf(Attribute::kShadowCallStack) |
    BitOf(Attribute::kSanitizeHWAddress) | BitOf(Attribute::kSanitizeMemTag) |
    BitOf(Attribute::kPresplitCoroutine) | BitOf(Attribute::kSpeculativeLoadHardening) |
    BitOf(Attribute::kFnRetThunkExtern) | BitOf(Attribute::kStackAlignment);

// The same of string attributes.
constexpr absl::string_view kRefusedStrings[] = {"patchable-function",
                                                 "patchable-function-entry",
                                                 "patchable-function-prefix",
                                                 "split-stack",
                                                 "function-instrument",
                                                 "xray-instruction-threshold",
                                                 "stackrealign",
                                                 "alignstack",
                                                 "interrupt",
                                                 "fentry-call"};

// A bit for each length of a name in kRefusedStrings. Most attributes have none of these lengths.
constexpr uint64_t RefusedLengths() {
  uint64_t lengths = 0;
  for (absl::string_view name : kRefusedStrings) lengths |= uint64_t{1} << name.size();
  return lengths;
}

bool IsRefusedString(absl::string_view name) {
  constexpr uint64_t kLengths = RefusedLengths();
  if (name.size() >= 64 || (kLengths >> name.size() & 1) == 0) return false;
  for (absl::string_view refused : kRefusedStrings) {
    if (name == refused) return true;
  }
  return false;
}

bool HasRefusedAttribute(const ir::AttributeSet& attributes, const CallingConvention& convention) {
  if ((attributes.kinds & kRefusedAttributes) != 0) return true;
  for (const ir::StringAttribute& attribute : attributes.strings) {
    if (IsRefusedString(attribute.name)) return true;
  }
  if (LeavesConvention(attributes, convention)) return true;
  return attributes.ValueOf("sign-return-address-key") == "b_key";
}

// Whether the section is empty, or one that only says where an executable is to have the function,
// such as `.text.startup`. Other names can be asked for: their section's begin and end are symbols.
bool IsCodeSection(absl::string_view section) {
  return section.empty() || absl::StartsWith(section, ".text.");
}

// Whether the function has something that the code generator does not write, or does not know.
bool HasUnusualParts(const ir::Function& function) {
  const ir::Global& global = function.global();
  return function.has_unknown || global.has_unknown() ||
         global.attributes()->HasAnywhere(Attribute::kUnknown) || !global.collector().empty() ||
         !global.prefix_data().IsNothing() || !global.prologue_data().IsNothing() ||
         !IsCodeSection(global.section());
}

bool HasUncoveredPersonality(const ir::Function& function) {
  const ir::Operand personality = function.global().personality();
  if (personality.IsNothing()) return false;
  const ir::Global* global = function.GlobalOf(WithoutCasts(personality, function.all_constants()));
  return global == nullptr || !global->IsFunction();
}

// Of the function's result and parameters.
Refusal RefusalOfSignature(const ir::Function& function, const Passing& passing) {
  const ir::AttributeList& attributes = function.attributes();
  const ir::Type* result = function.result_type();
  if (!IsCoveredReturn(result, passing) || !IsCovered(attributes, passing.convention) ||
      IsExtendedWide(result, attributes.result)) {
    return Refusal::kArgumentPassing;
  }
  for (uint32_t i = 0; i < function.argument_count(); ++i) {
    const ir::Type* type = function.values[i].type;
    if (IsExtendedWide(type, attributes.OfParameter(i))) return Refusal::kArgumentPassing;
    const Refusal refusal = RefusalOfPassing(type, passing);
    if (refusal != Refusal::kNone) return refusal;
    if (attributes.OfParameter(i).Has(Attribute::kSwiftSelf) && !FillsRegister(type)) {
      return Refusal::kArgumentPassing;
    }
  }
  return Refusal::kNone;
}

}  // namespace

Refusal RefusalOf(const ir::Function& function, const Architecture& architecture,
                  const CoverageOptions& options) {
  const ir::Global& global = function.global();
  if (!IsCoveredConvention(global.convention(), global.value_type()->is_variadic)) {
    return Refusal::kCallingConvention;
  }
  const CallingConvention& convention = architecture.ConventionOf(global.convention());
  if (HasRefusedAttribute(global.attributes()->function, convention) || HasUnusualParts(function)) {
    return Refusal::kFunctionAttribute;
  }
  if (!options.ignores_debug_information &&
      (function.has_debug_information || global.has_debug_information())) {
    return Refusal::kDebugInformation;
  }
  if (HasUncoveredPersonality(function)) return Refusal::kException;
  return RefusalOfSignature(function, {function, architecture, options, convention});
}

}  // namespace firstcall::baseline
