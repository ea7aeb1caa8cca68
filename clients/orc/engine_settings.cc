#include "clients/orc/engine_settings.h"

#include <cstdint>

#include "absl/strings/numbers.h"

namespace firstcall {
namespace {

template <typename Value>
bool ReadNumber(absl::string_view text, uint32_t least, Value& value) {
  uint32_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number < least) return false;
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

}  // namespace

bool EngineSettings::Read(absl::string_view name, absl::string_view value) {
  if (name == "--tier") return ReadTier(value, tier);
  if (name == "--compile-threads") return ReadNumber(value, 0, compile_threads);
  if (name == "--promotion-threads") return ReadNumber(value, 0, promotion.threads);
  if (name == "--promotion-threshold") return ReadNumber(value, 1, promotion.threshold);
  return false;
}

void EngineSettings::ApplyTo(EngineOptions& options) const {
  options.tier = tier;
  options.compile_threads = compile_threads;
  options.promotion = promotion;
}

bool ReadSwitch(absl::string_view text, absl::string_view on, absl::string_view off, bool& value) {
  if (text != on && text != off) return false;
  value = text == on;
  return true;
}

}  // namespace firstcall
