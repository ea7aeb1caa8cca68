// Symbols of the compiler's runtime library that code generators rely on and that only its static
// part has: a process that was linked with it does not show them to others.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_COMPILER_RUNTIME_H_
#define FIRSTCALL_ENGINE_COMPILER_RUNTIME_H_

#include "absl/strings/string_view.h"
#include "memory/executor_address.h"

namespace firstcall {

// This process's own copy of `name`; null if it is no such symbol. On x86-64 what
// __builtin_cpu_supports and target_clones ask: __cpu_model, __cpu_features2, __cpu_indicator_init.
// On AArch64 the out-of-line atomic operations, __aarch64_cas4_acq and its like, and __clear_cache.
ExecutorAddress FindInCompilerRuntime(absl::string_view name);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_COMPILER_RUNTIME_H_
