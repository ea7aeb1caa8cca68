#include "services/server/sealed_bytes_writer.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/file_io.h"
#include "base/status.h"
#include "services/server/sealed_bytes.h"

namespace firstcall {
namespace {

absl::Status SystemError(absl::string_view operation) {
  return absl::ResourceExhaustedError(
      absl::StrCat("a memory file: ", operation, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<SealedBytesWriter> SealedBytesWriter::Create() {
  File file(memfd_create("firstcall", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open()) return SystemError("memfd_create");
  return SealedBytesWriter(std::move(file));
}

absl::Status SealedBytesWriter::Append(absl::string_view bytes) {
  const absl::Status written = WriteAt(file_.number(), size_, bytes);
  if (!written.ok()) {
    return absl::ResourceExhaustedError(absl::StrCat("a memory file: write: ", written.message()));
  }
  size_ += bytes.size();
  return absl::OkStatus();
}

absl::StatusOr<File> SealedBytesWriter::Seal() && {
  FIRSTCALL_RETURN_IF_ERROR(Append(absl::string_view("\0", 1)));
  if (fcntl(file_.number(), F_ADD_SEALS, kSealsOfBytes) != 0) return SystemError("sealing");
  return std::move(file_);
}

}  // namespace firstcall
