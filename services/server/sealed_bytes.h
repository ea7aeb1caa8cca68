// Bytes in a memory file that nobody can change any more. So another process that has mapped and
// checked them can rely on them.
//
// Thread-safe: pure functions. Tested in tests/services/server/sealed_bytes_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_SEALED_BYTES_H_
#define FIRSTCALL_SERVICES_SERVER_SEALED_BYTES_H_

#include <fcntl.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/file_contents.h"

namespace firstcall {

// The seals (fcntl(2), F_ADD_SEALS) of the file.
inline constexpr int kSealsOfBytes = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;

// Writes `bytes`, and a zero byte behind them, to a new memory file, and seals the file.
// ResourceExhausted, with the system's reason, if there is no memory or no file.
absl::StatusOr<File> SealBytes(absl::string_view bytes);

// Maps a file that SealBytes has written. The file's sender is not trusted: InvalidArgument if the
// file is not sealed, or does not end with a zero byte. ResourceExhausted if it cannot be mapped.
absl::StatusOr<std::shared_ptr<const FileContents>> MapSealedBytes(const File& file);

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_SEALED_BYTES_H_
