#include "clients/orc/environment.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace firstcall {
namespace {

bool ReadOption(absl::string_view option, OrcCompilerOptions& options) {
  if (option == "--baseline=on") {
    options.baseline = OrcBaseline::kAtLevelNone;
  } else if (option == "--baseline=always") {
    options.baseline = OrcBaseline::kAlways;
  } else if (option == "--baseline=off") {
    options.baseline = OrcBaseline::kNever;
  } else if (option == "--debug-info=always" || option == "--debug-info=never") {
    options.keeps_debug_information = option == "--debug-info=always";
  } else {
    return false;
  }
  return true;
}

}  // namespace

OrcEnvironment OrcEnvironment::Parse(absl::string_view options, std::vector<std::string>& errors) {
  OrcEnvironment environment;
  for (absl::string_view option : absl::StrSplit(options, ' ', absl::SkipEmpty())) {
    if (ReadOption(option, environment.options)) continue;
    errors.push_back(absl::StrCat("FIRSTCALL_OPTIONS: '", option, "' is not an option"));
  }
  return environment;
}

const OrcEnvironment& OrcEnvironment::Get() {
  static const OrcEnvironment* const environment = [] {
    const char* options = std::getenv("FIRSTCALL_OPTIONS");
    std::vector<std::string> errors;
    auto* const read = new OrcEnvironment(Parse(options != nullptr ? options : "", errors));
    for (const std::string& error : errors) {
      std::fprintf(stderr, "firstcall: %s; it is left out\n", error.c_str());
    }
    const char* stats = std::getenv("FIRSTCALL_STATS");
    read->prints_stats = stats != nullptr && *stats != '\0' && std::strcmp(stats, "0") != 0;
    return read;
  }();
  return *environment;
}

}  // namespace firstcall
