// Code pages of this process that a debugger has copied.
//
// A debugger that writes a breakpoint into code gets a copy of the page, which takes the page's
// place at the address where the code runs. What is written to the page later, at the other
// address, does not reach the copy. So code that was added to a page has to be written to the copy,
// too.
//
// Thread-safe. Tested in tests/memory/copied_pages_test.cc.

#ifndef FIRSTCALL_MEMORY_COPIED_PAGES_H_
#define FIRSTCALL_MEMORY_COPIED_PAGES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "memory/executor_address.h"

namespace firstcall {

// Makes the `size` bytes that were written at `written` visible at `run`, where the same pages are
// mapped to be executed. Compares both, which is all it does if no page was copied. Otherwise
// writes to the copies what differs, and leaves the rest of their bytes, such as breakpoints in
// other functions, as it is. No thread may run the code yet. ResourceExhausted if the system
// refuses that.
absl::Status WriteToCopiedPages(const uint8_t* written, ExecutorAddress run, size_t size);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_COPIED_PAGES_H_
