// Changes settings, whatever they are. Thread-compatible.

#ifndef FIRSTCALL_TESTS_TESTING_SETTINGS_H_
#define FIRSTCALL_TESTS_TESTING_SETTINGS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "seam/settings_table.h"

namespace firstcall::testing {

// Gives `value` another value. Returns false for settings that are objects.
template <typename Enum>
bool ChangeSetting(Enum& value) {
  value = value == kLastOf<Enum> ? Enum() : kLastOf<Enum>;
  return true;
}
template <typename Enum>
bool ChangeSetting(std::optional<Enum>& value) {
  value = value == kLastOf<Enum> ? Enum() : kLastOf<Enum>;
  return true;
}
inline bool ChangeSetting(bool& value) {
  value = !value;
  return true;
}
inline bool ChangeSetting(std::string& value) {
  value += "other";
  return true;
}
inline bool ChangeSetting(std::vector<std::string>& value) {
  value.push_back("other");
  return true;
}
inline bool ChangeSetting(std::shared_ptr<const llvm::TargetOptions>&) { return false; }

// Calls `test(name, changed)` with copies of `settings` in which one setting has another value.
template <typename Test>
void ForEachChange(const TargetSettings& settings, Test test) {
  size_t count = 0;
  ForEachSetting(settings, [&](const char*, const auto&) { ++count; });
  for (size_t i = 0; i < count; ++i) {
    TargetSettings changed = settings;
    size_t at = 0;
    ForEachSetting(changed, [&](const char* name, auto& value) {
      if (at++ == i && ChangeSetting(value)) test(name, changed);
    });
  }
}

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_TESTING_SETTINGS_H_
