// Reads and writes whole pieces of files, and creates directories.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_BASE_FILE_IO_H_
#define FIRSTCALL_BASE_FILE_IO_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firstcall {

// Reads exactly `size` bytes of `file`, from `offset` on. DataLoss if it cannot be read, or ends
// earlier.
absl::Status ReadAt(int file, uint64_t offset, char* bytes, size_t size);

// Writes all of `bytes` to `file`, from `offset` on. Unavailable, with the system's reason.
absl::Status WriteAt(int file, uint64_t offset, absl::string_view bytes);

// The same for bytes that lie in several pieces, which are written one behind the other.
absl::Status WriteAt(int file, uint64_t offset, absl::Span<const absl::string_view> pieces);

// Creates `path`, and the directories above it that are missing, accessible to this user only.
// Succeeds if `path` exists, even if it is no directory. Unavailable, with the system's reason.
absl::Status CreateDirectories(const std::string& path);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_FILE_IO_H_
