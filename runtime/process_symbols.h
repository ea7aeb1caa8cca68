// The symbols of this process: of the program and of all shared libraries whose symbols are global.
//
// Thread-safe. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_SYMBOLS_H_
#define FIRSTCALL_RUNTIME_PROCESS_SYMBOLS_H_

#include <string>

#include "memory/executor_address.h"

namespace firstcall {

// The address of `name`, as the dynamic linker finds it; null if there is none. Also finds the
// functions of the C library that are linked into each program instead of being exported. If nobody
// has loaded the C++ library, and `name` may be one of its symbols, the library is loaded, and its
// symbols are global from then on.
ExecutorAddress FindInProcess(const std::string& name);

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_SYMBOLS_H_
