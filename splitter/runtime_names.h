// Names that LLVM's optimizations and code generators refer to although the IR they were given does
// not: functions of the C library (printf("hello\n") becomes puts("hello")) and of compilers'
// runtime libraries.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_SPLITTER_RUNTIME_NAMES_H_
#define FIRSTCALL_SPLITTER_RUNTIME_NAMES_H_

#include "absl/strings/string_view.h"

namespace firstcall {

// Whether `name` is a function of the C or C++ library that optimizations know by its name: one
// that llvm::TargetLibraryInfo lists.
bool IsLibraryFunctionName(absl::string_view name);

// The same, or what code generation refers to by itself: llvm::RuntimeLibcallsInfo's functions, and
// symbols of thread-local variables, stack protection and profiling.
bool IsRuntimeName(absl::string_view name);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_RUNTIME_NAMES_H_
