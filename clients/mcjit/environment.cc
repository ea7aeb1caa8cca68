#include "clients/mcjit/environment.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clients/orc/process_options.h"

namespace firstcall {
namespace {

template <typename Value>
bool ReadNumber(absl::string_view text, Value& value) {
  uint32_t number = 0;
  if (!absl::SimpleAtoi(text, &number)) return false;
  value = number;
  return true;
}

bool ReadTier(absl::string_view text, Tier& tier) {
  if (text == "0") {
    tier = Tier::kZero;
  } else if (text == "1") {
    tier = Tier::kOne;
  } else if (text == "auto") {
    tier = Tier::kAuto;
  } else {
    return false;
  }
  return true;
}

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

bool ReadSwitch(absl::string_view text, absl::string_view on, absl::string_view off, bool& value) {
  if (text != on && text != off) return false;
  value = text == on;
  return true;
}

bool ReadOption(absl::string_view option, Environment& environment) {
  if (absl::ConsumePrefix(&option, "-O")) return ReadLevel(option, environment.codegen_level);
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(option, absl::MaxSplits('=', 1));
  const auto& [name, value] = parts;
  if (name == "--mode") return ReadSwitch(value, "lazy", "mcjit", environment.is_lazy);
  if (name == "--debug-info") return ReadDebugInfo(value, environment.debug_info);
  if (name == "--tier") return ReadTier(value, environment.tier);
  if (name == "--compile-threads") return ReadNumber(value, environment.compile_threads);
  if (name == "--promotion-threads") return ReadNumber(value, environment.promotion.threads);
  if (name == "--promotion-threshold") {
    return ReadNumber(value, environment.promotion.threshold) &&
           environment.promotion.threshold > 0;
  }
  if (name == "--baseline") {
    bool is_on = true;
    if (!ReadSwitch(value, "on", "off", is_on)) return false;
    environment.baseline = is_on ? Baseline::kOn : Baseline::kOff;
    return true;
  }
  return false;
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
  options.tier = tier;
  options.baseline = baseline;
  options.debug_info = debug_info;
  options.compile_threads = compile_threads;
  options.promotion = promotion;
}

}  // namespace firstcall
