#include "object/lifecycle.h"

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

std::optional<LifecycleSection> FindLifecycleSection(absl::string_view section,
                                                     LifecyclePhase phase) {
  const bool is_start = phase == LifecyclePhase::kStart;
  if (IsMachoList(section, is_start)) return LifecycleSection{kDefaultPriority};
  const bool is_first = is_start && absl::ConsumePrefix(&section, ".preinit_array");
  const bool is_old = !is_first && absl::ConsumePrefix(&section, is_start ? ".ctors" : ".dtors");
  if (!is_first && !is_old &&
      !absl::ConsumePrefix(&section, is_start ? ".init_array" : ".fini_array")) {
    return std::nullopt;
  }
  int64_t number = is_old ? 0 : kDefaultPriority;
  if (!section.empty() &&
      (!absl::ConsumePrefix(&section, ".") || !absl::SimpleAtoi(section, &number))) {
    return std::nullopt;
  }
  if (is_first) return LifecycleSection{-1};
  return LifecycleSection{is_old ? kDefaultPriority - number : number, is_old};
}

}  // namespace firstcall
