#include "cache/pack_writer.h"

#include <utility>

#include "base/status.h"
#include "cache/file_io.h"

namespace firstcall {
namespace {

constexpr size_t kBufferSize = 256 << 10;

absl::Status Write(int file, uint64_t offset, absl::string_view bytes) {
  return Annotate(WriteAt(file, offset, bytes), "writing");
}

}  // namespace

PackWriter::PackWriter(int file, std::string label, std::string signature, size_t most_entries)
    : file_(file),
      label_(std::move(label)),
      signature_(std::move(signature)),
      written_(PackHeadSize(label_, signature_, most_entries)) {}

absl::Status PackWriter::WriteBuffer() {
  FIRSTCALL_RETURN_IF_ERROR(Write(file_, written_, buffer_));
  written_ += buffer_.size();
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status PackWriter::Add(ModulePart part, absl::string_view bytes, uint32_t age) {
  Pack::Entry entry;
  entry.part = part;
  entry.age = age;
  entry.offset = written_ + buffer_.size();
  entry.size = static_cast<uint32_t>(bytes.size());
  entry.checksum = ChecksumOf(bytes);
  entries_.push_back(entry);
  // Large entries are not copied.
  if (bytes.size() >= kBufferSize) {
    FIRSTCALL_RETURN_IF_ERROR(WriteBuffer());
    FIRSTCALL_RETURN_IF_ERROR(Write(file_, written_, bytes));
    written_ += bytes.size();
    return absl::OkStatus();
  }
  buffer_.append(bytes.data(), bytes.size());
  return buffer_.size() < kBufferSize ? absl::OkStatus() : WriteBuffer();
}

absl::Status PackWriter::Finish() {
  FIRSTCALL_RETURN_IF_ERROR(WriteBuffer());
  return Write(file_, 0, EncodePackHead(label_, signature_, written_, entries_));
}

}  // namespace firstcall
