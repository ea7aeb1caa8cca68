// What a compiler half is made for.
//
// Plain values; copyable. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_SEAM_COMPILER_SETTINGS_H_
#define FIRSTCALL_SEAM_COMPILER_SETTINGS_H_

#include "seam/target_settings.h"

namespace firstcall {

struct CompilerSettings {
  TargetSettings target;
  // The IR of first bodies is optimized (Tier::kOne).
  bool optimizes_ir = false;
  // Optimized bodies may be asked for later, so IR is kept for them.
  bool promotes = false;
  // The client has a failure handler. What it throws, or the code that it returns, takes the place
  // of a function that cannot be compiled, so nothing is inferred of callees.
  bool handles_failures = false;
  // Thread-local variables are emulated (__emutls_get_address) in any case, because the code runs
  // in another process. They are also emulated for the targets that Target::emulates_thread_locals
  // tells.
  bool emulates_thread_locals = false;
  // As in EngineOptions.
  bool contain_crashes = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_COMPILER_SETTINGS_H_
