// The system lets a process write to its own memory, as a debugger does, through /proc/self/mem,
// where the protection of pages does not count (proc(5)). Where it forbids that
// (proc_mem.force_override, since Linux 6.12), the copies are dropped. Then the original pages are
// seen again, with the new code, but without the breakpoints that the debugger has set in them.

#include "memory/copied_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "memory/system_pages.h"

namespace firstcall {
namespace {

bool IsSeen(const uint8_t* written, ExecutorAddress run, size_t size) {
  return std::memcmp(run.InThisProcess<const void*>(), written, size) == 0;
}

bool WriteAsADebugger(const uint8_t* written, ExecutorAddress run, size_t size) {
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory < 0) return false;
  size_t done = 0;
  while (done < size) {
    const ssize_t count =
        pwrite(memory, written + done, size - done, static_cast<off_t>(run.value() + done));
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  close(memory);
  return done == size;
}

bool DropCopies(ExecutorAddress run, size_t size) {
  const uint64_t begin = run.value() & ~uint64_t{SystemPageSize() - 1};
  return madvise(ExecutorAddress(begin).InThisProcess<void*>(), run.value() + size - begin,
                 MADV_DONTNEED) == 0;
}

}  // namespace

absl::Status WriteToCopiedPages(const uint8_t* written, ExecutorAddress run, size_t size) {
  if (size == 0 || IsSeen(written, run, size)) return absl::OkStatus();
  if (WriteAsADebugger(written, run, size) && IsSeen(written, run, size)) return absl::OkStatus();
  if (!DropCopies(run, size)) return SystemError("dropping a debugger's copies of pages");
  return absl::OkStatus();
}

}  // namespace firstcall
