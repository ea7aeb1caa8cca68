// Asks the kernel for memory that is about to be written, all at once: a page fault for each page
// takes several times as long.
//
// Thread-safe. Tested in tests/base/populate_test.cc.

#ifndef FIRSTCALL_BASE_POPULATE_H_
#define FIRSTCALL_BASE_POPULATE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace firstcall {

// Does nothing for a few pages, and where the kernel cannot do it (before Linux 5.14) or there is
// no memory: then the pages come one by one, as always. Keeps errno.
inline void PopulateForWriting(void* begin, size_t size) {
#ifdef MADV_POPULATE_WRITE
  constexpr int kAdvice = MADV_POPULATE_WRITE;
#else
  constexpr int kAdvice = 23;  // linux/mman.h of newer systems.
#endif
  constexpr size_t kFewBytes = 64 * 1024;
  if (size < kFewBytes) return;
  const int error = errno;
  const auto page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = address & ~(page_size - 1);
  (void)madvise(reinterpret_cast<void*>(first), address + size - first, kAdvice);
  errno = error;
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_POPULATE_H_
