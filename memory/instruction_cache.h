// Turns bytes that were written as data into instructions that all threads of the process fetch.
//
// The same memory is written at one address and run at another. On x86-64 nothing has to be done.
// On AArch64 (Arm Architecture Reference Manual, B2.3.6 and B2.3.10) the data cache must write back
// the bytes, the instruction cache must drop what it holds for the address where they run, and
// every processor that may have prefetched from there must synchronize: the cache instructions
// reach all caches, but not instructions that are already in another processor's pipeline.
//
// So code is published in three steps: FlushInstructions for each piece, then
// SynchronizeInstructionFetch, then the store of the pointer that leads to the code. The second
// step also orders the data that the code reads. A reader of the pointer therefore needs no
// acquire, for which a stub has no room: a processor that sees the new pointer was interrupted
// before the pointer was stored, and it fetched or loaded nothing that follows its load of the
// pointer before that.
//
// QEMU's user-mode emulator (7.2) ignores these instructions and writes through another mapping. If
// code has run at an address, QEMU keeps running its translation of that code until the address's
// protection or mapping changes. Addresses where no code has run are safe; freed addresses that are
// used again are not. NoticesRewrittenCode tells whether that is the case.
//
// Thread-safe. Never blocks on a compile.

#ifndef FIRSTCALL_MEMORY_INSTRUCTION_CACHE_H_
#define FIRSTCALL_MEMORY_INSTRUCTION_CACHE_H_

#include <cstddef>
#include <cstdint>

#include "memory/executor_address.h"

namespace firstcall {

// Flushes `size` bytes that were written at `write` and will run at `run`, in this process.
void FlushInstructions(uint8_t* write, ExecutorAddress run, size_t size);

// Whether, after the steps above, code that has been replaced is certain not to run any more. Tries
// it out on the first call; always true on x86-64.
bool NoticesRewrittenCode();

// Makes all processors that run threads of this process fetch instructions anew.
enum class FetchBarrier {
  kMembarrier,       // membarrier(2), PRIVATE_EXPEDITED_SYNC_CORE: Linux 4.16 and later.
  kVisitProcessors,  // The calling thread runs once on each processor. This interrupts the thread
                     // that ran there, and a return from an exception synchronizes. Much slower;
                     // for kernels without membarrier.
};

// The best barrier this kernel has. Asks the kernel once.
FetchBarrier AvailableFetchBarrier();

// All processors have synchronized when this returns.
void RunFetchBarrier(FetchBarrier barrier);

// Runs the available barrier if the architecture needs one.
void SynchronizeInstructionFetch();

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_INSTRUCTION_CACHE_H_
