// The files that the dynamic linker has loaded. Thread-safe.

#ifndef FIRSTCALL_RUNTIME_PROCESS_LOADED_FILE_H_
#define FIRSTCALL_RUNTIME_PROCESS_LOADED_FILE_H_

#include <link.h>

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace firstcall {

// If `address` lies in a loaded file, calls `visit` with this file. `visit` must not load a file.
void VisitFileAround(uintptr_t address, absl::FunctionRef<void(const dl_phdr_info& file)> visit);

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_LOADED_FILE_H_
