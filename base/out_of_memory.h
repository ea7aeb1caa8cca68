// For programs that decide how their process ends when LLVM runs out of memory. There is one
// handler for the whole process, so a library does not install one unless asked.
//
// Thread-safe.

#ifndef FIRSTCALL_BASE_OUT_OF_MEMORY_H_
#define FIRSTCALL_BASE_OUT_OF_MEMORY_H_

namespace firstcall {

// Ends the innermost RunGuarded of this thread like a fatal error of LLVM with the reason "out of
// memory". Returns if this thread is in no RunGuarded. Needs no memory.
void LeaveGuardedOutOfMemory();

// From now on `handler`, which must not return, ends the process when LLVM runs out of memory on a
// thread that is not inside RunGuarded.
void SetOutOfMemoryHandler(void (*handler)());

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_OUT_OF_MEMORY_H_
