#include "clients/mcjit/environment.h"

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clients/orc/process_options.h"

namespace firstcall {
namespace {

bool ReadDebugInfo(absl::string_view text, DebugInfo& debug_info) {
  if (text == "auto") {
    debug_info = DebugInfo::kAuto;
  } else if (text == "always") {
    debug_info = DebugInfo::kAlways;
  } else if (text == "never") {
    debug_info = DebugInfo::kNever;
  } else {
    return false;
  }
  return true;
}

bool ReadLevel(absl::string_view text, std::optional<CodegenLevel>& level) {
  if (text.size() != 1 || text[0] < '0' || text[0] > '3') return false;
  level = static_cast<CodegenLevel>(text[0] - '0');
  return true;
}

bool ReadOption(absl::string_view option, Environment& environment) {
  if (absl::ConsumePrefix(&option, "-O")) return ReadLevel(option, environment.codegen_level);
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(option, absl::MaxSplits('=', 1));
  const auto& [name, value] = parts;
  if (name == "--mode") return ReadSwitch(value, "lazy", "mcjit", environment.is_lazy);
  if (name == "--debug-info") return ReadDebugInfo(value, environment.debug_info);
  if (name == "--baseline") {
    bool is_on = true;
    if (!ReadSwitch(value, "on", "off", is_on)) return false;
    environment.baseline = is_on ? Baseline::kOn : Baseline::kOff;
    return true;
  }
  return environment.engine.Read(name, value);
}

}  // namespace

Environment Environment::Parse(absl::string_view options, std::vector<std::string>& errors) {
  Environment environment;
  ReadOptions(options, errors, [&](absl::string_view option) {
    Environment changed = environment;
    const bool is_option = ReadOption(option, changed);
    if (is_option) environment = changed;
    return is_option;
  });
  return environment;
}

const Environment& Environment::Get() {
  static const Environment* const environment = [] {
    std::vector<std::string> errors;
    auto* const read = new Environment(Parse(OptionsOfProcess(), errors));
    PrintOptionErrors(errors);
    read->prints_stats = PrintsStats();
    return read;
  }();
  return *environment;
}

void Environment::ApplyTo(EngineOptions& options) const {
  if (codegen_level) options.codegen_level = *codegen_level;
  engine.ApplyTo(options);
  options.baseline = baseline;
  options.debug_info = debug_info;
}

}  // namespace firstcall
