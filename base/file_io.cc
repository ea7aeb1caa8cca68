#include "base/file_io.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/positioned_write.h"
#include "base/status.h"

namespace firstcall {

absl::Status ReadAt(int file, uint64_t offset, char* bytes, size_t size) {
  while (size != 0) {
    const ssize_t count = pread(file, bytes, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return absl::DataLossError(absl::StrCat("it cannot be read: ", std::strerror(errno)));
    }
    if (count == 0) return absl::DataLossError("it is cut short");
    bytes += count;
    offset += static_cast<uint64_t>(count);
    size -= static_cast<size_t>(count);
  }
  return absl::OkStatus();
}

absl::Status WriteAt(int file, uint64_t offset, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = PositionedWrite(file, bytes, offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return absl::UnavailableError(std::strerror(errno));
    offset += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// The kernel writes the beginning of the pieces, and perhaps not all of them.
absl::Status WriteAt(int file, uint64_t offset, absl::Span<const absl::string_view> pieces) {
  constexpr size_t kMostPieces = 256;  // IOV_MAX is 1024.
  iovec vectors[kMostPieces];
  size_t written = 0;  // Bytes of the first piece.
  while (!pieces.empty()) {
    const size_t count = std::min(pieces.size(), kMostPieces);
    for (size_t i = 0; i < count; ++i) {
      const absl::string_view rest = pieces[i].substr(i == 0 ? written : 0);
      vectors[i] = {const_cast<char*>(rest.data()), rest.size()};
    }
    const ssize_t result = PositionedWrite(file, absl::MakeConstSpan(vectors, count), offset);
    if (result < 0 && errno == EINTR) continue;
    if (result < 0) return absl::UnavailableError(std::strerror(errno));
    offset += static_cast<uint64_t>(result);
    written += static_cast<size_t>(result);
    while (!pieces.empty() && written >= pieces.front().size()) {
      written -= pieces.front().size();
      pieces.remove_prefix(1);
    }
  }
  return absl::OkStatus();
}

absl::Status CreateDirectories(const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST) return absl::OkStatus();
  const int reason = errno;
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (reason != ENOENT || parent.empty()) return absl::UnavailableError(std::strerror(reason));
  FIRSTCALL_RETURN_IF_ERROR(CreateDirectories(parent));
  if (mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST) return absl::OkStatus();
  return absl::UnavailableError(std::strerror(errno));
}

}  // namespace firstcall
