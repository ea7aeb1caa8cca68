// How the command ends when there is no memory for what it does itself.
//
// A function that cannot be compiled for want of memory fails like any other. Where there is
// nothing that could fail, the process ends. For what the program does itself nothing is different:
// its `new` throws.

#ifndef FIRSTCALL_TOOLS_OUT_OF_MEMORY_H_
#define FIRSTCALL_TOOLS_OUT_OF_MEMORY_H_

namespace firstcall {

// EX_OSERR of sysexits.h.
inline constexpr int kOutOfMemoryExitStatus = 71;

// From now on the process ends with one line on standard error and kOutOfMemoryExitStatus, instead
// of being aborted, when memory runs out outside of the program. Call it once, before anything
// else.
void EndWhenOutOfMemory();

// From now on it is the program that runs, wherever the compiler does not.
void NoteThatProgramRuns();

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_OUT_OF_MEMORY_H_
