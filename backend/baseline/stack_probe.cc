#include "backend/baseline/stack_probe.h"

#include <optional>

namespace firstcall::baseline {
namespace {

constexpr char kStackProbe[] = "probe-stack";

}  // namespace

StackProbe StackProbeOf(const ir::AttributeSet& attributes) {
  if (!attributes.HasString(kStackProbe)) return StackProbe::kNone;
  if (attributes.ValueOf(kStackProbe) != "inline-asm") return StackProbe::kOther;
  constexpr uint64_t kLeast = kProbedBytes;
  const std::optional<uint64_t> bytes = attributes.NumberOf("stack-probe-size", kLeast);
  return bytes && *bytes >= kLeast && *bytes <= INT64_MAX ? StackProbe::kInline
                                                          : StackProbe::kOther;
}

}  // namespace firstcall::baseline
