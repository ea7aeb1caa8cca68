// Tells how much of its stack the calling thread has left.

#ifndef FIRSTCALL_BASE_STACK_SPACE_H_
#define FIRSTCALL_BASE_STACK_SPACE_H_

#include <cstddef>

namespace firstcall {

// How much a compile should have, in bytes. The baseline code generator takes 32 KiB; LLVM takes
// 64 KiB and more, because it recurses on large functions.
inline constexpr size_t kStackToCompile = size_t{256} << 10;

// In bytes. 0 if the thread is not on the stack that the system or the thread library gave it:
// nobody knows the size of the stack of a signal handler or of a coroutine. Takes a microsecond at
// most, but for the first call on a coroutine of the process's first thread. Thread-safe. Tested in
// tests/base/stack_space_test.cc.
size_t StackLeft();

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_STACK_SPACE_H_
