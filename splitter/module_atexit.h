// A module's own `atexit`.
//
// The C library has no shared atexit: each program and shared library is linked with a copy that
// tells __cxa_atexit whose handler it is, by its own __dso_handle. A source module is given such a
// copy, so that its handlers can run, and be forgotten, with the module.

#ifndef FIRSTCALL_SPLITTER_MODULE_ATEXIT_H_
#define FIRSTCALL_SPLITTER_MODULE_ATEXIT_H_

#include "absl/strings/string_view.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

inline constexpr absl::string_view kAtexit = "atexit";
inline constexpr absl::string_view kDsoHandle = "__dso_handle";

// Defines atexit in `module`, where it is declared or not yet named. Thread-compatible.
void DefineAtexit(llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MODULE_ATEXIT_H_
