#include "seam/target_settings.h"

#include "absl/status/status.h"

namespace firstcall {

absl::StatusOr<Baseline> BaselineOf(const TargetSettings& settings) {
  switch (settings.backend) {
    case Backend::kAuto:
      return settings.baseline;
    case Backend::kBaseline:
      if (settings.baseline != Baseline::kOff) return Baseline::kStrict;
      return absl::InvalidArgumentError(
          "options: the backend is the baseline code generator, which is turned off");
    case Backend::kLlvm:
    case Backend::kMcjit:
      if (settings.baseline != Baseline::kStrict) return Baseline::kOff;
      return absl::InvalidArgumentError(
          "options: the backend is LLVM's, but the baseline code generator is to compile all "
          "functions");
  }
  return absl::InvalidArgumentError("options: there is no such backend");
}

}  // namespace firstcall
