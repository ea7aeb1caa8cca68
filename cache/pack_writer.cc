#include "cache/pack_writer.h"

#include <utility>

#include "base/file_io.h"
#include "base/status.h"

namespace firstcall {
namespace {

// To write some entries at a time is as fast as to write all of them.
constexpr uint64_t kMostWaiting = 256 << 10;

absl::Status AnnotateWriting(const absl::Status& status) { return Annotate(status, "writing"); }

}  // namespace

PackWriter::PackWriter(int file, std::string label, std::string signature, size_t most_entries)
    : file_(file),
      label_(std::move(label)),
      signature_(std::move(signature)),
      written_(PackHeadSize(label_, signature_, most_entries)) {}

absl::Status PackWriter::WriteWaiting() {
  FIRSTCALL_RETURN_IF_ERROR(AnnotateWriting(WriteAt(file_, written_, waiting_)));
  written_ += waiting_size_;
  waiting_size_ = 0;
  waiting_.clear();
  taken_.clear();
  return absl::OkStatus();
}

absl::Status PackWriter::Add(ModulePart part, absl::string_view bytes, uint32_t age) {
  Pack::Entry entry;
  entry.part = part;
  entry.age = age;
  entry.offset = written_ + waiting_size_;
  entry.size = static_cast<uint32_t>(bytes.size());
  entry.checksum = ChecksumOf(bytes);
  entries_.push_back(entry);
  waiting_size_ += bytes.size();
  waiting_.push_back(bytes);
  return waiting_size_ < kMostWaiting ? absl::OkStatus() : WriteWaiting();
}

absl::Status PackWriter::Take(ModulePart part, ObjectCache::Bytes bytes, uint32_t age) {
  taken_.push_back(std::move(bytes));
  return Add(part, taken_.back(), age);
}

absl::Status PackWriter::Finish() {
  FIRSTCALL_RETURN_IF_ERROR(WriteWaiting());
  return AnnotateWriting(WriteAt(file_, 0, EncodePackHead(label_, signature_, written_, entries_)));
}

}  // namespace firstcall
