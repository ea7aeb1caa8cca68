// Whether a compiler that knows nothing of LLVM can make first bodies for a target that a client
// has chosen by LLVM's means: by a triple, a processor, features, and options of LLVM's code
// generator.
//
// Thread-safe: a pure function. Tested in tests/backend/llvm/plain_target_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_PLAIN_TARGET_H_
#define FIRSTCALL_BACKEND_LLVM_PLAIN_TARGET_H_

#include <optional>

#include "backend/llvm/target.h"
#include "seam/target_settings.h"

namespace firstcall {

// The target that `settings` ask for, if three things say all that first bodies depend on: this
// process's system, the processor's features, and whether thread-local variables are emulated.
//
// Without a value in all other cases: if the baseline code generator is not to make first bodies;
// if the triple names another system or environment; if an option of LLVM's code generator has
// another value than LLVM gives it; if there are `llvm_arguments`; if LLVM refuses the settings.
// Options that say in which sections an object has its code and data, how it lists constructors,
// and whether `unreachable` traps (first bodies always trap there) may have any value.
std::optional<Target> FindPlainTarget(const TargetSettings& settings);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_PLAIN_TARGET_H_
