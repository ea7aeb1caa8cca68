#include "memory/instruction_cache.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "base/positioned_write.h"

namespace firstcall {
namespace {

// The most processors that Linux supports (CONFIG_NR_CPUS).
constexpr size_t kMaxProcessors = 8192;

bool Membarrier(int command) { return syscall(SYS_membarrier, command, /*flags=*/0) == 0; }

bool RegisterForMembarrier() {
  return Membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
}

// A processor that the process may not use runs none of its threads.
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
  // The data cache must be flushed for the address written to, and the instruction cache for the
  // address run at. Each of the two calls does both for its address.
  if (ExecutorAddress::Of(write) != run) FlushRange(reinterpret_cast<char*>(write), size);
  FlushRange(run.InThisProcess<char*>(), size);
}

#if defined(__aarch64__)
namespace {

// Runs two functions that return different numbers, one after the other at the same address.
bool TryRewritingCode() {
  constexpr uint32_t kReturn = 0xd65f03c0;
  constexpr uint32_t kCode[2][2] = {{0x52800020, kReturn}, {0x52800040, kReturn}};  // mov w0, #n
  const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (size > LargestFile()) return false;
  const int file = static_cast<int>(syscall(SYS_memfd_create, "firstcall", 1 /* MFD_CLOEXEC */));
  if (file < 0) return false;
  bool noticed = false;
  if (ftruncate(file, static_cast<off_t>(size)) == 0) {
    void* write = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    void* run = mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    if (write != MAP_FAILED && run != MAP_FAILED) {
      noticed = true;
      for (int i = 0; i < 2; ++i) {
        std::memcpy(write, kCode[i], sizeof(kCode[i]));
        FlushInstructions(static_cast<uint8_t*>(write), ExecutorAddress::Of(run), sizeof(kCode[i]));
        SynchronizeInstructionFetch();
        noticed = noticed && reinterpret_cast<int (*)()>(run)() == i + 1;
      }
    }
    if (write != MAP_FAILED) munmap(write, size);
    if (run != MAP_FAILED) munmap(run, size);
  }
  close(file);
  return noticed;
}

}  // namespace

bool NoticesRewrittenCode() {
  static const bool notices = TryRewritingCode();
  return notices;
}
#else
bool NoticesRewrittenCode() { return true; }
#endif

FetchBarrier AvailableFetchBarrier() {
  static const FetchBarrier available =
      RegisterForMembarrier() ? FetchBarrier::kMembarrier : FetchBarrier::kVisitProcessors;
  return available;
}

void RunFetchBarrier(FetchBarrier barrier) {
  if (barrier == FetchBarrier::kMembarrier) {
    if (Membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE)) return;
    // A forked child may have to register for itself.
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
