// Addresses at which no function may begin.
//
// An entry of an unwind table uses a certain number of bits for addresses. If that many low bits of
// a function's address are zero, libgcc assumes that the linker has removed the function, and
// ignores the entry (unwind-dw2-fde.c, linear_search_fdes and similar functions). LLVM's entries
// use 32 bits, on x86-64 and AArch64, in all code models except the large one. So the unwinder
// would not find a function at a multiple of 4 GiB, and an exception thrown through it would end
// the process. Tested in tests/memory/arena_test.cc.

#ifndef FIRSTCALL_MEMORY_UNWINDABLE_CODE_H_
#define FIRSTCALL_MEMORY_UNWINDABLE_CODE_H_

#include <cstddef>
#include <cstdint>

#include "memory/executor_address.h"

namespace firstcall {
// The first address at or after `address` at which no function may begin.
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
