// Symbols that only the static parts of the compiler's runtime library and of the C library define:
// a process that is linked with them does not export them.
//
// Thread-safe.

#ifndef FIRSTCALL_RUNTIME_LINK_COMPILER_RUNTIME_H_
#define FIRSTCALL_RUNTIME_LINK_COMPILER_RUNTIME_H_

#include "absl/strings/string_view.h"
#include "memory/executor_address.h"

namespace firstcall {

// The address of this process's own copy of `name`, or null if `name` is no such symbol. On all
// machines these symbols are pthread_atfork and at_quick_exit, which GNU libc defines statically.
// On x86-64 the symbols are those that __builtin_cpu_supports and target_clones use: __cpu_model,
// __cpu_features2, __cpu_indicator_init. On AArch64 they are the out-of-line atomic operations,
// such as __aarch64_cas4_acq, and __clear_cache.
ExecutorAddress FindInCompilerRuntime(absl::string_view name);

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_COMPILER_RUNTIME_H_
