#include "memory/instruction_cache.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace firstcall {
namespace {

// Linux runs on no more (CONFIG_NR_CPUS).
constexpr size_t kMaxProcessors = 8192;

bool Membarrier(int command) { return syscall(SYS_membarrier, command, /*flags=*/0) == 0; }

bool RegisterForMembarrier() {
  return Membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
}

// Processors the process may not use run none of its threads.
void VisitProcessors() {
  cpu_set_t* const before = CPU_ALLOC(kMaxProcessors);
  cpu_set_t* const one = CPU_ALLOC(kMaxProcessors);
  const size_t size = CPU_ALLOC_SIZE(kMaxProcessors);
  if (sched_getaffinity(0, size, before) == 0) {
    const auto count = static_cast<size_t>(sysconf(_SC_NPROCESSORS_CONF));
    for (size_t processor = 0; processor < count; ++processor) {
      CPU_ZERO_S(size, one);
      CPU_SET_S(processor, size, one);
      sched_setaffinity(0, size, one);
    }
    sched_setaffinity(0, size, before);
  }
  CPU_FREE(one);
  CPU_FREE(before);
}

void FlushRange(char* begin, size_t size) { __builtin___clear_cache(begin, begin + size); }

}  // namespace

void FlushInstructions(uint8_t* write, ExecutorAddress run, size_t size) {
  // The data cache by the address written to, the instruction cache by the address run at: each of
  // the two calls does both for its own.
  if (ExecutorAddress::Of(write) != run) FlushRange(reinterpret_cast<char*>(write), size);
  FlushRange(run.InThisProcess<char*>(), size);
}

FetchBarrier AvailableFetchBarrier() {
  static const FetchBarrier available =
      RegisterForMembarrier() ? FetchBarrier::kMembarrier : FetchBarrier::kVisitProcessors;
  return available;
}

void RunFetchBarrier(FetchBarrier barrier) {
  if (barrier == FetchBarrier::kMembarrier) {
    if (Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE)) return;
    // A child that was forked may have to register for itself.
    if (RegisterForMembarrier() && Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE)) return;
  }
  VisitProcessors();
}

void SynchronizeInstructionFetch() {
#if !defined(__x86_64__)
  RunFetchBarrier(AvailableFetchBarrier());
#endif
}

}  // namespace firstcall
