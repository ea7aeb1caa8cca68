#include "cache/file_io.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
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
    const ssize_t count = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return absl::UnavailableError(std::strerror(errno));
    offset += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
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
