#include "bitcode/metadata_texts.h"

#include "bitcode/records.h"

namespace firstcall::bitcode {

MetadataTexts::MetadataTexts(const BitcodeModule& source)
    : source_(source), reader_(source.bytes(), &source.block_info()) {}

void MetadataTexts::Begin() {
  block_ = 0;
  has_blocks_ = has_own_ = false;
}

void MetadataTexts::AddBlock(uint64_t position) {
  has_blocks_ = block_ != 0;
  block_ = position;
}

MetadataTexts::Kind MetadataTexts::Find(uint32_t number, absl::string_view& text) {
  if (!source_.knows_metadata()) return Kind::kUnknown;
  if (number < source_.metadata_count()) {
    if (!has_shared_) {
      shared_ = source_.metadata_strings();
      has_shared_ = true;
    }
    return FindIn(shared_, number, text);
  }
  if (!has_own_) {
    const Kind kind = ReadBlock();
    if (kind != Kind::kText) return kind;
    has_own_ = true;
  }
  return FindIn(own_, number - source_.metadata_count(), text);
}

MetadataTexts::Kind MetadataTexts::FindIn(MetadataStrings& strings, uint64_t number,
                                          absl::string_view& text) {
  if (number >= strings.count()) return Kind::kOther;
  return strings.Find(number, text).ok() ? Kind::kText : Kind::kDamaged;
}

// kText: the strings are there.
MetadataTexts::Kind MetadataTexts::ReadBlock() {
  if (block_ == 0 || has_blocks_) return Kind::kUnknown;
  if (!reader_.Restart(block_) || !reader_.EnterBlock(kMetadataBlock)) return Kind::kDamaged;
  if (reader_.Next().kind != EntryKind::kRecord || reader_.ReadCode() != kMetadataStrings) {
    return reader_.failed() ? Kind::kDamaged : Kind::kUnknown;
  }
  return own_.Read(reader_.ReadOperands()).ok() ? Kind::kText : Kind::kDamaged;
}

}  // namespace firstcall::bitcode
