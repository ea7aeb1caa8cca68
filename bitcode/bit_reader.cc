#include "bitcode/bit_reader.h"

#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

// Widths of the numbers that a stream consists of, besides those that abbreviations say.
constexpr uint32_t kBlockIdWidth = 8, kIdWidthWidth = 4, kLengthWidth = 32;
constexpr uint32_t kNarrowestId = 2, kWidestId = 32;

}  // namespace

std::string Record::Text(size_t first) const {
  std::string text;
  if (first >= operands.size()) return text;
  text.reserve(operands.size() - first);
  for (uint64_t operand : operands.subspan(first)) text.push_back(static_cast<char>(operand));
  return text;
}

BitReader::BitReader(absl::Span<const uint8_t> bytes, const BlockInfo* info)
    : cursor_(bytes), info_(info), operands_(kFirstRoom) {
  scopes_[0].end = cursor_.bit_count();
}

Entry BitReader::NextOther() {
  for (;;) {
    if (ABSL_PREDICT_FALSE(id_width_ > cursor_.bits_left())) {
      cursor_.Fail();
      return {};
    }
    cursor_.Skip(id_width_);
    switch (entry_id_) {
      case kEndBlockId:
        return {LeaveBlock() ? EntryKind::kEndBlock : EntryKind::kFailure, 0};
      case kEnterSubBlockId:
        return SubBlock();
      case kDefineAbbreviationId: {
        Abbreviation abbreviation = ReadAbbreviation(cursor_);
        if (cursor_.failed()) return Failure("a definition of an abbreviation is wrong");
        scopes_[depth_].own.push_back(std::move(abbreviation));
        break;
      }
      default:
        return {EntryKind::kRecord, entry_id_};
    }
    entry_position_ = cursor_.position();
    entry_id_ = static_cast<uint32_t>(cursor_.Peek() & id_mask_);
  }
}

Entry BitReader::SubBlock() {
  const uint64_t id = cursor_.Vbr(kBlockIdWidth);
  if (cursor_.failed()) return {};
  if (id > UINT32_MAX) return Failure("a block has no valid id");
  return {EntryKind::kSubBlock, static_cast<uint32_t>(id)};
}

bool BitReader::ReadBlockHeader(uint32_t& id_width, uint64_t& end) {
  const absl::Span<const uint8_t> bytes = cursor_.bytes();
  uint64_t position = cursor_.position();
  const uint64_t width = BitCursor::TakeVbr(bytes.data(), bytes.size(), kIdWidthWidth, position);
  if (ABSL_PREDICT_FALSE(position > cursor_.bit_count())) {
    cursor_.Fail();
    return false;
  }
  position = (position + 31) & ~uint64_t{31};
  const uint64_t words =
      BitCursor::Load(bytes.data(), bytes.size(), position) & ((uint64_t{1} << kLengthWidth) - 1);
  cursor_.Jump(position + kLengthWidth);
  if (ABSL_PREDICT_FALSE(cursor_.failed())) return false;
  if (width < kNarrowestId || width > kWidestId) {
    return Fail("the numbers of a block's abbreviations have no valid width");
  }
  id_width = static_cast<uint32_t>(width);
  end = cursor_.position() + 32 * words;
  return end <= scopes_[depth_].end || Fail("a block is longer than what contains it");
}

bool BitReader::EnterBlock(uint32_t id) {
  if (depth_ == kDeepest) return Fail("blocks are nested too deep");
  Scope& scope = scopes_[depth_ + 1];
  if (!ReadBlockHeader(scope.id_width, scope.end)) return false;
  scope.id = id;
  scope.inherited = info_->AbbreviationsOf(id);
  scope.own.clear();
  ++depth_;
  SetWidth();
  return true;
}

bool BitReader::SkipBlock() {
  uint32_t id_width;
  uint64_t end;
  if (!ReadBlockHeader(id_width, end)) return false;
  cursor_.Jump(end);
  return true;
}

bool BitReader::LeaveEarly() {
  if (failed()) return false;
  if (depth_ == 0) return Fail("a block ends that has not begun");
  cursor_.Jump(scopes_[depth_].end);
  --depth_;
  SetWidth();
  return true;
}

bool BitReader::LeaveBlock() {
  cursor_.Align();
  if (depth_ == 0) return Fail("a block ends that has not begun");
  if (cursor_.position() != scopes_[depth_].end) {
    return Fail("a block does not end where its length says");
  }
  --depth_;
  SetWidth();
  return true;
}

bool BitReader::IsOpen(uint64_t block) const {
  for (size_t i = 1; i <= depth_; ++i) {
    if (scopes_[i].id == block) return true;
  }
  return false;
}

// Definitions in a BLOCKINFO are those of the block that the last record SETBID has named.
bool BitReader::ReadBlockInfo(BlockInfo& info) {
  if (!EnterBlock(kBlockInfoBlock)) return false;
  uint64_t block = BlockInfo::kBlockIds;  // None.
  for (;;) {
    entry_position_ = cursor_.position();
    entry_id_ = static_cast<uint32_t>(cursor_.Fixed(id_width_));
    if (cursor_.failed()) return false;
    if (entry_id_ == kEndBlockId) return LeaveBlock();
    if (entry_id_ == kEnterSubBlockId) return Fail("BLOCKINFO has a block");
    if (entry_id_ == kDefineAbbreviationId) {
      Abbreviation abbreviation = ReadAbbreviation(cursor_);
      if (cursor_.failed()) return Fail("a definition of an abbreviation is wrong");
      // Whoever reads the open block refers to its abbreviations.
      if (block >= BlockInfo::kBlockIds || IsOpen(block)) {
        return Fail("BLOCKINFO has an abbreviation of a block that may have none");
      }
      info.Add(static_cast<uint32_t>(block), std::move(abbreviation));
      continue;
    }
    const Record& record = ReadRecord();
    if (failed()) return false;
    if (record.code == kBlockInfoSetBlock) {
      if (record.operands.empty()) return Fail("BLOCKINFO names no block");
      block = record.operands[0];
    }
  }
}

const Abbreviation* BitReader::AbbreviationOf(uint32_t id) const {
  const Scope& scope = scopes_[depth_];
  size_t number = id - kFirstAbbreviationId;
  if (number < scope.inherited.size()) return &scope.inherited[number];
  number -= scope.inherited.size();
  return number < scope.own.size() ? &scope.own[number] : nullptr;
}

bool BitReader::Jump(uint64_t position) {
  cursor_.Jump(position);
  return !cursor_.failed() || Fail("a position lies behind the end");
}

bool BitReader::Restart(uint64_t position) {
  cursor_ = BitCursor(cursor_.bytes());
  depth_ = 0;
  SetWidth();
  reason_ = nullptr;
  return Jump(position);
}

bool BitReader::Fail(const char* reason) {
  if (reason_ == nullptr) {
    reason_ = reason;
    failure_position_ = entry_position_;
  }
  cursor_.Fail();
  record_ = Record();
  return false;
}

Entry BitReader::Failure(const char* reason) {
  Fail(reason);
  return {};
}

absl::Status BitReader::status() const {
  if (!failed()) return absl::OkStatus();
  if (reason_ == nullptr) return absl::InvalidArgumentError("the stream ends too early");
  return absl::InvalidArgumentError(
      absl::StrCat("the entry at bit ", failure_position_, ": ", reason_));
}

}  // namespace firstcall::bitcode
