#include "clients/orc/environment.h"

#include "clients/orc/process_options.h"

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
  ReadOptions(options, errors,
              [&](absl::string_view option) { return ReadOption(option, environment.options); });
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
