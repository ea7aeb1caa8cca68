#include "backend/baseline/stack_probe.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace firstcall::baseline {

StackProbe StackProbeOf(const ir::AttributeSet& attributes) {
  if (!attributes.HasString(kStackProbe)) return StackProbe::kNone;
  if (attributes.ValueOf(kStackProbe) != "inline-asm") return StackProbe::kOther;
  const absl::string_view text = attributes.ValueOf("stack-probe-size");
  if (text.empty()) return StackProbe::kInline;
  // LLVM reads other text otherwise than as a decimal number.
  int64_t bytes = 0;
  const bool is_decimal = absl::c_all_of(text, absl::ascii_isdigit) && text[0] != '0';
  return is_decimal && absl::SimpleAtoi(text, &bytes) && bytes >= kProbedBytes ? StackProbe::kInline
                                                                               : StackProbe::kOther;
}

}  // namespace firstcall::baseline
