// Writes sealed bytes (services/server/sealed_bytes.h) that come in parts.
//
// Thread-compatible. Tested in tests/services/server/sealed_bytes_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_SEALED_BYTES_WRITER_H_
#define FIRSTCALL_SERVICES_SERVER_SEALED_BYTES_WRITER_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file.h"

namespace firstcall {

class SealedBytesWriter {
 public:
  // All functions return ResourceExhausted, with the system's reason, if there is no memory or no
  // file.
  static absl::StatusOr<SealedBytesWriter> Create();

  absl::Status Append(absl::string_view bytes);
  // The number of bytes appended so far.
  uint64_t size() const { return size_; }

  // Seals the file, and passes it to the caller.
  absl::StatusOr<File> Seal() &&;

 private:
  explicit SealedBytesWriter(File file) : file_(std::move(file)) {}

  File file_;
  uint64_t size_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_SEALED_BYTES_WRITER_H_
