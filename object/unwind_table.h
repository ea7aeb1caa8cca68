// Checks unwind tables (.eh_frame) before the process's unwinder gets them. The unwinder trusts a
// table: a damaged one could make it read anywhere, or end the process, when a table is registered,
// when it is withdrawn, or when any exception is thrown.
//
// Thread-safe: pure functions of their arguments.

#ifndef FIRSTCALL_OBJECT_UNWIND_TABLE_H_
#define FIRSTCALL_OBJECT_UNWIND_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

// Checks `table`, whose references are bound and which is used at address `run`. Each entry must be
// complete, and must describe code within the `code_size` bytes at `code`, or a removed function at
// address zero. InvalidArgument if not. The descriptions of frames and landing pads are not
// checked.
absl::Status CheckUnwindTable(absl::Span<const uint8_t> table, ExecutorAddress run,
                              ExecutorAddress code, size_t code_size);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_UNWIND_TABLE_H_
