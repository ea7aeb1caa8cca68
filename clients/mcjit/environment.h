// What the environment variables FIRSTCALL_OPTIONS and FIRSTCALL_STATS say about MCJIT's engines.
//
// Immutable after construction, therefore thread-safe.

#ifndef FIRSTCALL_CLIENTS_MCJIT_ENVIRONMENT_H_
#define FIRSTCALL_CLIENTS_MCJIT_ENVIRONMENT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "clients/orc/engine_settings.h"
#include "engine/options.h"

namespace firstcall {

struct Environment {
  bool is_lazy = true;
  bool prints_stats = false;
  std::optional<CodegenLevel> codegen_level;  // Unset: the client's.
  EngineSettings engine;
  Baseline baseline = Baseline::kOn;
  // Listeners of the client's (llvm::JITEventListener) may be added at any time, and what they read
  // in objects is not known.
  DebugInfo debug_info = DebugInfo::kAlways;

  // Reads options as "--tier=0 -O2", separated by spaces. A part that is not understood is left out
  // and added to `errors`.
  static Environment Parse(absl::string_view options, std::vector<std::string>& errors);

  // That of this process, read at the first call. Errors are printed on standard error then.
  static const Environment& Get();

  // Copies the fields to the options of an engine.
  void ApplyTo(EngineOptions& options) const;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_ENVIRONMENT_H_
