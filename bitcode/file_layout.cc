#include "bitcode/file_layout.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "bitcode/bit_reader.h"
#include "bitcode/block_info.h"
#include "bitcode/block_walk.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

// A wrapper's header has five numbers of four bytes: magic, version, offset, size, CPU.
constexpr size_t kWrapperSize = 20, kWrapperOffset = 8, kWrapperLength = 12;
// No block is as small as this, so that what is left of a file may be padding.
constexpr uint64_t kPaddingBits = 64;

uint32_t NumberAt(absl::Span<const uint8_t> bytes, size_t place) {
  uint32_t number = 0;
  for (size_t i = 4; i-- > 0;) number = number << 8 | bytes[place + i];
  return number;
}

absl::StatusOr<absl::Span<const uint8_t>> WithoutWrapper(absl::Span<const uint8_t> bytes) {
  if (bytes.size() < 4 || NumberAt(bytes, 0) != kWrapperMagic) return bytes;
  if (bytes.size() < kWrapperSize) {
    return absl::InvalidArgumentError("the wrapper's header is too short");
  }
  const uint64_t offset = NumberAt(bytes, kWrapperOffset);
  const uint64_t length = NumberAt(bytes, kWrapperLength);
  if (offset > bytes.size() || length > bytes.size() - offset) {
    return absl::InvalidArgumentError("the wrapper's header refers to what is not in the file");
  }
  return bytes.subspan(offset, length);
}

class Finder {
 public:
  explicit Finder(absl::Span<const uint8_t> stream) : reader_(stream, &info_) {
    layout_.stream = stream;
  }

  absl::StatusOr<FileLayout> Find();

 private:
  absl::Status ReadBlock(uint32_t id);
  absl::Status ReadIdentification();
  absl::Status ReadNames();

  const BlockInfo info_;
  BitReader reader_;
  FileLayout layout_;
};

absl::StatusOr<FileLayout> Finder::Find() {
  reader_.Restart(32);  // Behind the magic number.
  while (layout_.stream.size() * 8 - reader_.bit_position() > kPaddingBits) {
    const Entry entry = reader_.Next();
    if (entry.kind != EntryKind::kSubBlock) {
      if (reader_.failed()) return reader_.status();
      return absl::InvalidArgumentError("a record stands outside of blocks");
    }
    FIRSTCALL_RETURN_IF_ERROR(ReadBlock(entry.id));
    if (reader_.failed()) return reader_.status();
  }
  if (layout_.module_position == 0) return absl::InvalidArgumentError("there is no module");
  return layout_;
}

absl::Status Finder::ReadBlock(uint32_t id) {
  switch (id) {
    case kIdentificationBlock:
      return ReadIdentification();
    case kModuleBlock:
      if (layout_.module_position != 0) return absl::UnimplementedError("there are two modules");
      layout_.module_position = reader_.bit_position();
      break;
    case kStringTableBlock:
      // A module's names come behind the module.
      if (layout_.module_position != 0 && layout_.names.empty()) return ReadNames();
      break;
    default:
      break;
  }
  reader_.SkipBlock();
  return absl::OkStatus();
}

absl::Status Finder::ReadIdentification() {
  if (!reader_.EnterBlock(kIdentificationBlock)) return reader_.status();
  return WalkRecords(reader_, [&](const Record& record) {
    if (record.code == kIdentificationString) layout_.producer = record.Text();
    if (record.code == kIdentificationEpoch &&
        (record.operands.empty() || record.operands[0] != 0)) {
      return absl::UnimplementedError(absl::StrCat("'", absl::CHexEscape(layout_.producer),
                                                   "' writes another epoch's bitcode"));
    }
    return absl::OkStatus();
  });
}

absl::Status Finder::ReadNames() {
  if (!reader_.EnterBlock(kStringTableBlock)) return reader_.status();
  return WalkRecords(reader_, [&](const Record& record) {
    if (record.code == kStringTableBlob) layout_.names = record.blob;
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<FileLayout> FindBlocks(absl::Span<const uint8_t> bytes) {
  FIRSTCALL_ASSIGN_OR_RETURN(const absl::Span<const uint8_t> stream, WithoutWrapper(bytes));
  if (stream.size() < 4 || NumberAt(stream, 0) != kMagic) {
    return absl::InvalidArgumentError("the file does not begin as bitcode does");
  }
  if (stream.size() % 4 != 0) {
    return absl::InvalidArgumentError("the file's size is not a multiple of 4 bytes");
  }
  return Finder(stream).Find();
}

}  // namespace firstcall::bitcode
