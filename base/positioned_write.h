// pwrite(2) for a process whose files may not be larger than some size (RLIMIT_FSIZE): beyond that,
// the system's own raises SIGXFSZ, which ends the process. Not for files with O_APPEND, for which
// Linux ignores the position.
//
// Thread-safe. Tested in tests/base/positioned_write_test.cc.

#ifndef FIRSTCALL_BASE_POSITIONED_WRITE_H_
#define FIRSTCALL_BASE_POSITIONED_WRITE_H_

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firstcall {

// How many bytes this process's files may have.
inline uint64_t LargestFile() {
  rlimit limit = {};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

// How many of the bytes it has written, perhaps not all. Negative: it failed, with the reason in
// errno, which is EFBIG instead of a signal.
inline ssize_t PositionedWrite(int file, absl::Span<const iovec> pieces, uint64_t offset) {
  if (offset >= LargestFile()) {
    errno = EFBIG;
    return -1;
  }
  return pwritev(file, pieces.data(), static_cast<int>(pieces.size()), static_cast<off_t>(offset));
}

inline ssize_t PositionedWrite(int file, absl::string_view bytes, uint64_t offset) {
  const iovec piece = {const_cast<char*>(bytes.data()), bytes.size()};
  return PositionedWrite(file, absl::MakeConstSpan(&piece, 1), offset);
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_POSITIONED_WRITE_H_
