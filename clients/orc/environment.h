// What the environment variables FIRSTCALL_OPTIONS and FIRSTCALL_STATS say about ORC's JITs.
//
// Immutable after construction, therefore thread-safe.

#ifndef FIRSTCALL_CLIENTS_ORC_ENVIRONMENT_H_
#define FIRSTCALL_CLIENTS_ORC_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "clients/orc/engine_settings.h"
#include "clients/orc/orc_compiler.h"

namespace firstcall {

struct OrcEnvironment {
  OrcCompilerOptions options;
  // Whether modules are added to a lazy layer, of whose options these are.
  bool is_lazy = false;
  bool checks_names = false;
  EngineSettings engine;
  bool prints_stats = false;

  // Reads options as "--baseline=always", separated by spaces. A part that is not understood is
  // left out and added to `errors`.
  static OrcEnvironment Parse(absl::string_view options, std::vector<std::string>& errors);

  // That of this process, read at the first call. Errors are printed on standard error then.
  static const OrcEnvironment& Get();
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_ENVIRONMENT_H_
