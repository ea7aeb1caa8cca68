// How many files a part of the engine may keep open.
//
// Thread-safe.

#ifndef FIRSTCALL_BASE_OPEN_FILES_H_
#define FIRSTCALL_BASE_OPEN_FILES_H_

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace firstcall {

// A quarter of what the process may have open (RLIMIT_NOFILE), but at least 64: the rest is the
// program's.
inline size_t MostFilesToKeepOpen() {
  constexpr rlim_t kFewest = 64;
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return kFewest;
  return std::max(kFewest, files.rlim_cur / 4);
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_OPEN_FILES_H_
