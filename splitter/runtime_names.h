// Names that LLVM's optimizations and code generators refer to even if the IR does not: functions
// of the C library (printf("hello\n") becomes puts("hello")) and of compilers' runtime libraries.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_SPLITTER_RUNTIME_NAMES_H_
#define FIRSTCALL_SPLITTER_RUNTIME_NAMES_H_

#include "absl/strings/string_view.h"

namespace firstcall {

// Whether `name` is a function of the C or C++ library that optimizations know by name, because
// llvm::TargetLibraryInfo lists it.
bool IsLibraryFunctionName(absl::string_view name);

// Whether IsLibraryFunctionName, or code generation refers to `name` by itself: the functions of
// llvm::RuntimeLibcallsInfo, and symbols of thread-local variables, stack protection and profiling.
bool IsRuntimeName(absl::string_view name);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_RUNTIME_NAMES_H_
