#include "bitcode/metadata_strings.h"

#include "absl/types/span.h"

namespace firstcall::bitcode {
namespace {

constexpr uint32_t kLengthWidth = 6;

}  // namespace

absl::Status MetadataStrings::Read(const Record& record) {
  if (record.operands.size() < 2 || record.operands[1] > record.blob.size()) {
    return absl::InvalidArgumentError("the strings of metadata are not where they should be");
  }
  count_ = record.operands[0];
  const uint64_t offset = record.operands[1];
  lengths_ = BitCursor({reinterpret_cast<const uint8_t*>(record.blob.data()), offset});
  characters_ = record.blob.substr(offset);
  ends_.clear();
  if (count_ > lengths_.bit_count() / kLengthWidth) {
    return absl::InvalidArgumentError("there are fewer strings of metadata than the count says");
  }
  return absl::OkStatus();
}

absl::Status MetadataStrings::Find(uint64_t number, absl::string_view& string) {
  while (ends_.size() <= number) {
    const uint64_t begin = ends_.empty() ? 0 : ends_.back();
    const uint64_t length = lengths_.Vbr(kLengthWidth);
    if (lengths_.failed() || length > characters_.size() - begin) {
      return absl::InvalidArgumentError("a string of metadata is longer than its record");
    }
    ends_.push_back(begin + length);
  }
  const uint64_t begin = number == 0 ? 0 : ends_[number - 1];
  string = characters_.substr(begin, ends_[number] - begin);
  return absl::OkStatus();
}

}  // namespace firstcall::bitcode
