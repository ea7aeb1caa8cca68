// What the C library does with memory that the program has freed.
//
// glibc gives the end of the heap back to the system as soon as 128 KiB of it are free, and gets it
// again, page by page and cleared, when the program allocates the next object. A program that fills
// and empties its heap again and again may spend a fifth of its time on that (ADR 47). The limit
// rises when a large block is freed, which LLVM does if it runs on the program's thread, so
// programs in lli are spared. Where the baseline code generator compiles, or a cache has the code,
// nothing raises it. Tested in tests/command/freed_memory_test.cc.

#ifndef FIRSTCALL_TOOLS_FREED_MEMORY_H_
#define FIRSTCALL_TOOLS_FREED_MEMORY_H_

namespace firstcall {

// From now on the process keeps up to 64 MiB of freed memory for its next allocations. Blocks of
// 32 MiB and more are still given back at once. Does nothing if the user has set glibc's parameters
// in the environment. To be called while there is one thread.
void KeepFreedMemory();

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_FREED_MEMORY_H_
