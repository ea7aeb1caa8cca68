// What a program does that wants a say in how its process ends when memory runs out in LLVM. There
// is one answer for the whole process, so a library does not give one unasked.
//
// Thread-safe.

#ifndef FIRSTCALL_BASE_OUT_OF_MEMORY_H_
#define FIRSTCALL_BASE_OUT_OF_MEMORY_H_

namespace firstcall {

// Ends the innermost RunGuarded of this thread, as a fatal error of LLVM's with the reason "out of
// memory" would. Returns if there is none. Needs no memory.
void LeaveGuardedOutOfMemory();

// From now on `handler`, which must not return, ends the process when LLVM runs out of memory on a
// thread that is not inside RunGuarded.
void SetOutOfMemoryHandler(void (*handler)());

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_OUT_OF_MEMORY_H_
