// The symbols of this process: of the program and of all shared libraries whose symbols are global.
//
// Thread-safe. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_PROCESS_SYMBOLS_H_
#define FIRSTCALL_RUNTIME_PROCESS_PROCESS_SYMBOLS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "memory/executor_address.h"

namespace firstcall {

// The address of `name`, as the dynamic linker finds it; null if there is none. In "name@VERSION",
// with one or more `@`, the version is that of the symbol in its library. Bounds of segments are
// not found, but a function or variable of that name is. Also finds the functions of the C library
// that are linked into each program instead of being exported. If `name` may be a symbol of the C++
// library and no C++ library is loaded (GCC's or another one), loads GCC's, whose symbols are
// global from then on.
ExecutorAddress FindInProcess(const std::string& name);

// The rest of FindInProcess, for a name that this thread has just asked the dynamic linker for,
// without success.
ExecutorAddress FindNotExported(const std::string& name);

// Whether `name` is one of the names that static linkers give to the bounds of an executable's
// segments (end, etext, __bss_start). Those of this process are not bounds of what was compiled
// here.
bool IsBoundOfSegment(absl::string_view name);

// Whether `address`, under such a name, is the bound of a segment of this process.
bool IsBoundOfThisProcess(const std::string& name, ExecutorAddress address);

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_PROCESS_SYMBOLS_H_
