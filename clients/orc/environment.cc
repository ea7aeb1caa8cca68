#include "clients/orc/environment.h"

#include <utility>

#include "absl/strings/str_split.h"
#include "clients/orc/process_options.h"

namespace firstcall {
namespace {

bool ReadOption(absl::string_view option, OrcEnvironment& environment) {
  OrcCompilerOptions& options = environment.options;
  if (option == "--baseline=on") {
    options.baseline = OrcBaseline::kAtLevelNone;
  } else if (option == "--baseline=always") {
    options.baseline = OrcBaseline::kAlways;
  } else if (option == "--baseline=off") {
    options.baseline = OrcBaseline::kNever;
  } else if (option == "--debug-info=always" || option == "--debug-info=never") {
    options.keeps_debug_information = option == "--debug-info=always";
  } else {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(option, absl::MaxSplits('=', 1));
    const auto& [name, value] = parts;
    if (name == "--lazy") return ReadSwitch(value, "on", "off", environment.is_lazy);
    if (name == "--check-names") return ReadSwitch(value, "on", "off", environment.checks_names);
    return environment.engine.Read(name, value);
  }
  return true;
}

}  // namespace

OrcEnvironment OrcEnvironment::Parse(absl::string_view options, std::vector<std::string>& errors) {
  OrcEnvironment environment;
  ReadOptions(options, errors,
              [&](absl::string_view option) { return ReadOption(option, environment); });
  return environment;
}

const OrcEnvironment& OrcEnvironment::Get() {
  static const OrcEnvironment* const environment = [] {
    std::vector<std::string> errors;
    auto* const read = new OrcEnvironment(Parse(OptionsOfProcess(), errors));
    PrintOptionErrors(errors);
    read->prints_stats = PrintsStats();
    return read;
  }();
  return *environment;
}

}  // namespace firstcall
