#include "services/server/sealed_bytes.h"

#include <sys/stat.h>

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "base/status.h"
#include "services/server/sealed_bytes_writer.h"

namespace firstcall {

absl::StatusOr<File> SealBytes(absl::string_view bytes) {
  FIRSTCALL_ASSIGN_OR_RETURN(SealedBytesWriter writer, SealedBytesWriter::Create());
  FIRSTCALL_RETURN_IF_ERROR(writer.Append(bytes));
  return std::move(writer).Seal();
}

absl::StatusOr<std::shared_ptr<const FileContents>> MapSealedBytes(const File& file) {
  const int seals = fcntl(file.number(), F_GET_SEALS);
  struct stat status = {};
  if (seals < 0 || (seals & kSealsOfBytes) != kSealsOfBytes || fstat(file.number(), &status) != 0 ||
      status.st_size < 1) {
    return absl::InvalidArgumentError("a memory file is not sealed");
  }
  const auto size = static_cast<uint64_t>(status.st_size) - 1;
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<const FileContents> contents,
                             FileContents::Map(file.number(), size));
  if (contents->bytes().data()[size] != 0) {
    return absl::InvalidArgumentError("a memory file does not end with a zero byte");
  }
  return contents;
}

}  // namespace firstcall
