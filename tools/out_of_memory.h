// How the command's process ends if memory runs out in the command's own work.
//
// If memory runs out while a function is compiled, that function fails like any other. Where
// nothing can fail, the process ends. The program's own allocations are not affected: its `new`
// throws.

#ifndef FIRSTCALL_TOOLS_OUT_OF_MEMORY_H_
#define FIRSTCALL_TOOLS_OUT_OF_MEMORY_H_

namespace firstcall {

// EX_OSERR of sysexits.h.
inline constexpr int kOutOfMemoryExitStatus = 71;

// From now on, if memory runs out outside the program, the process prints one line to standard
// error and exits with kOutOfMemoryExitStatus, instead of being aborted. Call once, before anything
// else.
void EndWhenOutOfMemory();

// From now on, everything but the compiler's work counts as the program's.
void NoteThatProgramRuns();
bool ProgramRuns();

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_OUT_OF_MEMORY_H_
