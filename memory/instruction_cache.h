// Makes bytes that were written as data into instructions that every thread of the process fetches.
//
// Where code is written and where it runs are two addresses of the same memory. On x86-64 nothing
// has to be done. On AArch64 (Arm Architecture Reference Manual, B2.3.6 and B2.3.10) the bytes must
// leave the data cache, the instruction cache must forget what it has for the address they run at,
// and every processor that may have fetched from there ahead of time must synchronize: the cache
// instructions reach all caches, but not what is already in another processor's pipeline.
//
// So whoever publishes code calls FlushInstructions for each piece, then
// SynchronizeInstructionFetch, and then stores the pointer that leads there. That barrier also
// orders the data that the code reads, so who loads the pointer needs no acquire, for which a stub
// has no room: a processor that sees the new pointer was interrupted before it was stored, and
// nothing that comes after its load of the pointer was fetched or loaded before that.
//
// QEMU's user-mode emulator (7.2) takes no notice of these instructions, nor of writes through
// another mapping: it runs its translation of code that has run at an address until the protection
// or the mapping there is changed. Addresses that have not run before are unharmed; those that were
// freed and are used again are not: NoticesRewrittenCode tells.
//
// Thread-safe. Never blocks on a compile.

#ifndef FIRSTCALL_MEMORY_INSTRUCTION_CACHE_H_
#define FIRSTCALL_MEMORY_INSTRUCTION_CACHE_H_

#include <cstddef>
#include <cstdint>

#include "memory/executor_address.h"

namespace firstcall {

// `size` bytes that were written at `write` and will run at `run`, in this process.
void FlushInstructions(uint8_t* write, ExecutorAddress run, size_t size);

// Whether code that has run and is replaced, with all that is said above, is really not run any
// more. Finds out once, by trying; true on x86-64.
bool NoticesRewrittenCode();

// How the processors that run threads of this process are made to fetch anew.
enum class FetchBarrier {
  kMembarrier,       // membarrier(2), PRIVATE_EXPEDITED_SYNC_CORE: Linux 4.16 and later.
  kVisitProcessors,  // Otherwise: the calling thread runs once on each, so that whatever ran there
                     // has been interrupted, and a return from an exception synchronizes. Much
                     // dearer.
};

// The best this kernel has. Asks once.
FetchBarrier AvailableFetchBarrier();

// All processors have synchronized when it returns.
void RunFetchBarrier(FetchBarrier barrier);

// RunFetchBarrier with what is available, where the architecture needs it.
void SynchronizeInstructionFetch();

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_INSTRUCTION_CACHE_H_
