#include "remote/sealed_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file_io.h"
#include "base/status.h"

namespace firstcall {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;

absl::Status SystemError(absl::string_view operation) {
  return absl::ResourceExhaustedError(
      absl::StrCat("a memory file: ", operation, ": ", std::strerror(errno)));
}

absl::Status Write(int file, absl::string_view bytes, uint64_t offset) {
  const absl::Status written = WriteAt(file, offset, bytes);
  if (written.ok()) return written;
  return absl::ResourceExhaustedError(absl::StrCat("a memory file: write: ", written.message()));
}

}  // namespace

absl::StatusOr<File> SealBytes(absl::string_view bytes) {
  File file(memfd_create("firstcall", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open()) return SystemError("memfd_create");
  FIRSTCALL_RETURN_IF_ERROR(Write(file.number(), bytes, 0));
  FIRSTCALL_RETURN_IF_ERROR(Write(file.number(), absl::string_view("\0", 1), bytes.size()));
  if (fcntl(file.number(), F_ADD_SEALS, kSeals) != 0) return SystemError("sealing");
  return file;
}

absl::StatusOr<uint64_t> SizeOfSealedBytes(const File& file) {
  const int seals = fcntl(file.number(), F_GET_SEALS);
  struct stat status = {};
  if (seals < 0 || (seals & kSeals) != kSeals || fstat(file.number(), &status) != 0 ||
      status.st_size < 1) {
    return absl::InvalidArgumentError("a memory file is not sealed");
  }
  return static_cast<uint64_t>(status.st_size) - 1;
}

absl::StatusOr<std::shared_ptr<const FileContents>> MapSealedBytes(const File& file) {
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t size, SizeOfSealedBytes(file));
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<const FileContents> contents,
                             FileContents::Map(file.number(), size));
  if (contents->bytes().data()[size] != 0) {
    return absl::InvalidArgumentError("a memory file does not end with a zero byte");
  }
  return contents;
}

}  // namespace firstcall
