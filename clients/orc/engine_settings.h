// Those of an engine's options that FIRSTCALL_OPTIONS may have for a library that is preloaded.
//
// Immutable after construction, therefore thread-safe.

#ifndef FIRSTCALL_CLIENTS_ORC_ENGINE_SETTINGS_H_
#define FIRSTCALL_CLIENTS_ORC_ENGINE_SETTINGS_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "engine/options.h"

namespace firstcall {

struct EngineSettings {
  Tier tier = Tier::kAuto;
  size_t compile_threads = 0;
  PromotionOptions promotion;

  // Takes the value of an option, as "--tier" and "0". Returns whether there is such an option and
  // it may have the value; if not, nothing changes.
  bool Read(absl::string_view name, absl::string_view value);

  // Copies the fields to the options of an engine.
  void ApplyTo(EngineOptions& options) const;
};

// Sets `value` if `text` is `on` or `off`, and returns whether it is.
bool ReadSwitch(absl::string_view text, absl::string_view on, absl::string_view off, bool& value);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_ENGINE_SETTINGS_H_
