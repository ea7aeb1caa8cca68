// Describes blocks of stubs and call counters to a debugger, so that it can step through them into
// the function that is called, and unwind from them.
//
// A block is presented as what it resembles: a procedure linkage table, that is, code in a section
// named .plt. A debugger that steps into such code goes on stepping until it has left it. The
// reentry lies in a section of that kind, too (stubs/reentry_x86_64.S).
//
// Thread-safe. Tested in tests/object/debugger_stubs_test.cc and tests/debugger.

#ifndef FIRSTCALL_OBJECT_DEBUGGER_STUBS_H_
#define FIRSTCALL_OBJECT_DEBUGGER_STUBS_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

// Registers `size` bytes of stubs at `code` with the debugger. `unwind_table` has the bytes of
// their .eh_frame table, which lies at `table` and was written for these addresses. Returns the
// function that withdraws the registration, to be called before the code is freed.
std::function<void()> RegisterStubsWithDebugger(ExecutorAddress code, size_t size,
                                                ExecutorAddress table,
                                                absl::Span<const uint8_t> unwind_table);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_DEBUGGER_STUBS_H_
