#include "code/lifecycle.h"

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace firstcall {
namespace {

// The priority of an entry without one, which is the last. .ctors and .dtors count down from it.
constexpr int64_t kDefaultPriority = 65535;

// Mach-O's sections of such pointers, which have one priority: SEGMENT,SECTION and attributes.
bool IsMachoList(absl::string_view section, bool is_start) {
  if (!absl::ConsumePrefix(&section, "__DATA,") &&
      !absl::ConsumePrefix(&section, "__DATA_CONST,")) {
    return false;
  }
  return section.substr(0, section.find(',')) == (is_start ? "__mod_init_func" : "__mod_term_func");
}

}  // namespace

std::optional<int64_t> PriorityOfSection(absl::string_view section, LifecyclePhase phase) {
  const bool is_start = phase == LifecyclePhase::kStart;
  if (IsMachoList(section, is_start)) return kDefaultPriority;
  if (is_start && absl::ConsumePrefix(&section, ".preinit_array")) return -1;
  const bool counts_backwards = absl::ConsumePrefix(&section, is_start ? ".ctors" : ".dtors");
  if (!counts_backwards &&
      !absl::ConsumePrefix(&section, is_start ? ".init_array" : ".fini_array")) {
    return std::nullopt;
  }
  if (section.empty()) return kDefaultPriority;
  int64_t priority = 0;
  if (!absl::ConsumePrefix(&section, ".") || !absl::SimpleAtoi(section, &priority)) {
    return std::nullopt;
  }
  return counts_backwards ? kDefaultPriority - priority : priority;
}

}  // namespace firstcall
