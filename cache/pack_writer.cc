#include "cache/pack_writer.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall {
namespace {

constexpr size_t kBufferSize = 256 << 10;

absl::Status WriteAt(int file, uint64_t offset, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return absl::UnavailableError(absl::StrCat("writing: ", std::strerror(errno)));
    offset += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

}  // namespace

PackWriter::PackWriter(int file, std::string label, std::string signature, size_t most_entries)
    : file_(file),
      label_(std::move(label)),
      signature_(std::move(signature)),
      written_(PackHeadSize(label_, signature_, most_entries)) {}

absl::Status PackWriter::WriteBuffer() {
  FIRSTCALL_RETURN_IF_ERROR(WriteAt(file_, written_, buffer_));
  written_ += buffer_.size();
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status PackWriter::Add(ModulePart part, absl::string_view bytes) {
  Pack::Entry entry;
  entry.part = part;
  entry.offset = written_ + buffer_.size();
  entry.size = static_cast<uint32_t>(bytes.size());
  entry.checksum = ChecksumOf(bytes);
  entries_.push_back(entry);
  buffer_.append(bytes.data(), bytes.size());
  return buffer_.size() < kBufferSize ? absl::OkStatus() : WriteBuffer();
}

absl::Status PackWriter::Finish() {
  FIRSTCALL_RETURN_IF_ERROR(WriteBuffer());
  return WriteAt(file_, 0, EncodePackHead(label_, signature_, written_, entries_));
}

}  // namespace firstcall
