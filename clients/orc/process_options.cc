#include "clients/orc/process_options.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace firstcall {

void ReadOptions(absl::string_view options, std::vector<std::string>& errors,
                 absl::FunctionRef<bool(absl::string_view option)> read) {
  for (absl::string_view option : absl::StrSplit(options, ' ', absl::SkipEmpty())) {
    if (read(option)) continue;
    errors.push_back(absl::StrCat("FIRSTCALL_OPTIONS: '", option, "' is not an option"));
  }
}

absl::string_view OptionsOfProcess() {
  const char* options = std::getenv("FIRSTCALL_OPTIONS");
  return options != nullptr ? options : "";
}

void PrintOptionErrors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) {
    std::fprintf(stderr, "firstcall: %s; it is left out\n", error.c_str());
  }
}

bool PrintsStats() {
  const char* stats = std::getenv("FIRSTCALL_STATS");
  const absl::string_view value = stats != nullptr ? stats : "";
  return !value.empty() && value != "0";
}

}  // namespace firstcall
