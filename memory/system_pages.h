// System calls of the page mappers, for the calling process.
//
// Thread-safe. Errors are ResourceExhausted: "code memory: <operation>: <the system's reason>".
// Tested in tests/memory/page_mapper_test.cc.

#ifndef FIRSTCALL_MEMORY_SYSTEM_PAGES_H_
#define FIRSTCALL_MEMORY_SYSTEM_PAGES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "memory/page_mapper.h"

namespace firstcall {

// The error in errno.
absl::Status SystemError(absl::string_view operation);

size_t SystemPageSize();

// Reserves addresses that cannot be accessed and cost no memory. The caller unmaps them.
absl::StatusOr<uint8_t*> ReserveAddresses(size_t size);

// The same, within reach of `near` if that is not null and such addresses are free.
absl::StatusOr<uint8_t*> ReserveAddressesNear(size_t size, ExecutorAddress near);

// Maps `size` bytes of `file`, from `offset` on, to `at`. Replaces an earlier mapping there.
absl::Status MapSharedPages(uint8_t* at, size_t size, int protection, int file, size_t offset);

// Maps pages of `file` to be executed. What is written to the file is seen there, except in pages
// that a debugger has copied (memory/copied_pages.h). Replaces an earlier mapping there.
absl::Status MapCodePages(uint8_t* at, size_t size, int file, size_t offset);

// Maps `size` bytes of new shared anonymous memory, to be written at `alias` and to be executed or
// read at `run`. Replaces earlier mappings there.
absl::Status MapAnonymousPagesTwice(uint8_t* alias, uint8_t* run, size_t size, bool is_code);

// Run actions of this process, from first to last or from last to first.
void RunActions(absl::Span<const ExecutorAction> actions);
void RunActionsInReverse(absl::Span<const ExecutorAction> actions);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SYSTEM_PAGES_H_
