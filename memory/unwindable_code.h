// Where no function may begin.
//
// libgcc takes the entry of an unwind table for that of a function that the linker has removed, and
// ignores it, if the function's address is null in as many bits as the entry has for it
// (unwind-dw2-fde.c, linear_search_fdes and its like). LLVM's entries have 32, on x86-64 and on
// AArch64, in all code models but the large one. So a function at a multiple of 4 GiB would be
// unknown to the unwinder, and what is thrown through it would end the process.

#ifndef FIRSTCALL_MEMORY_UNWINDABLE_CODE_H_
#define FIRSTCALL_MEMORY_UNWINDABLE_CODE_H_

#include <cstddef>
#include <cstdint>

#include "memory/executor_address.h"

namespace firstcall {

// The first address at or behind `address` at which no function may begin.
inline ExecutorAddress NextUnwinderNull(ExecutorAddress address) {
  constexpr uint64_t kMask = UINT32_MAX;
  return ExecutorAddress((address.value() + kMask) & ~kMask);
}

// Whether such an address is among the `size` bytes at `begin`.
inline bool HasUnwinderNull(ExecutorAddress begin, size_t size) {
  return NextUnwinderNull(begin).value() - begin.value() < size;
}

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_UNWINDABLE_CODE_H_
