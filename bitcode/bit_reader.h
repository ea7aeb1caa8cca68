// Walks over the blocks and records of a bitstream (LLVM's documentation: "LLVM Bitcode File
// Format").
//
// Thread-compatible. Several readers may share a BlockInfo that nobody changes.

#ifndef FIRSTCALL_BITCODE_BIT_READER_H_
#define FIRSTCALL_BITCODE_BIT_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bitcode/abbreviation.h"
#include "bitcode/bit_cursor.h"
#include "bitcode/block_info.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {

enum class EntryKind : uint8_t {
  kEndBlock,  // The block has ended. The reader has left it.
  kSubBlock,  // Next: EnterBlock, SkipBlock, or ReadBlockInfo if the id is 0.
  kRecord,    // Next: ReadRecord or SkipRecord, or ReadCode and then ReadOperands or SkipOperands.
  kFailure,   // status() says why. All further entries are failures, too.
};

struct Entry {
  EntryKind kind = EntryKind::kFailure;
  uint32_t id = 0;  // Of a block. Of a record: the number of its abbreviation.
};

struct Record {
  // The code of a record that could not be read.
  static constexpr uint32_t kNoCode = UINT32_MAX;

  uint32_t code = kNoCode;
  absl::Span<const uint64_t> operands;
  absl::string_view blob;  // A part of the stream's bytes.

  // The operands from number `first` on as characters, the low 8 bits of each.
  std::string Text(size_t first = 0) const;
};

class BitReader {
 public:
  // The deepest nesting of blocks that a reader enters.
  static constexpr size_t kDeepest = 8;

  // `bytes` begin with the stream's first block or with what precedes it, as Jump's positions
  // count. Bytes and `info` must outlive the reader. `info`: the abbreviations that blocks get when
  // they are entered.
  BitReader(absl::Span<const uint8_t> bytes, const BlockInfo* info);
  BitReader(const BitReader&) = delete;
  BitReader& operator=(const BitReader&) = delete;

  absl::Span<const uint8_t> bytes() const { return cursor_.bytes(); }

  // The next entry of the block that was entered last; at first, of the stream itself. Definitions
  // of abbreviations are read on the way.
  Entry Next() {
    entry_position_ = cursor_.position();
    entry_id_ = static_cast<uint32_t>(cursor_.Peek() & id_mask_);
    if (ABSL_PREDICT_TRUE(entry_id_ >= kFirstRecordId && id_width_ <= cursor_.bits_left())) {
      cursor_.Skip(id_width_);
      return {EntryKind::kRecord, entry_id_};
    }
    return NextOther();
  }
  bool IsAtEnd() const { return cursor_.bits_left() == 0; }

  // These follow kSubBlock. False: the reader has failed.
  bool EnterBlock(uint32_t id);
  bool SkipBlock();
  // Reads the whole block and adds its abbreviations to `info`.
  bool ReadBlockInfo(BlockInfo& info);

  // Moves behind the block that was entered last, wherever the reader is in the block.
  bool LeaveEarly();

  // These follow kRecord. If the reader fails, the record has the code kNoCode and no operands; the
  // next entry is kFailure. The record is valid until the next one is read.
  const Record& ReadRecord();
  void SkipRecord() {
    ReadCode();
    SkipOperands();
  }
  // First the code alone, then the rest.
  uint32_t ReadCode();
  const Record& ReadOperands();
  void SkipOperands();

  // Where an entry begins: skips the records that follow as long as they are not abbreviated and
  // have one of the codes, which must be 32 to 1023. Records that the stream's end cuts, and those
  // of more than 31 operands, are left to Next.
  void SkipUnabbreviated(uint32_t code, uint32_t other) {
    if ((cursor_.Peek() & id_mask_) == kUnabbreviatedId) SkipRecordsOf(code, other);
  }

  // In bits. Behind kSubBlock, the position belongs to EnterBlock. Behind kRecord, see
  // entry_position().
  uint64_t bit_position() const { return cursor_.position(); }
  // Where the entry that Next has returned last begins.
  uint64_t entry_position() const { return entry_position_; }
  // Goes on at a position of the same block, or of a block that is then entered.
  bool Jump(uint64_t position);
  // Leaves all blocks, forgets a failure, and goes on at `position`, a block's bit_position.
  bool Restart(uint64_t position);

  bool failed() const { return cursor_.failed(); }
  // InvalidArgument, and where and why, if the reader has failed.
  absl::Status status() const;

 private:
  // Numbers of abbreviations from this one on are records.
  static constexpr uint32_t kFirstRecordId = 3;
  // The width of abbreviations' numbers outside of blocks.
  static constexpr uint32_t kFirstIdWidth = 2;

  // A block that has been entered.
  struct Scope {
    uint32_t id = 0;
    uint32_t id_width = kFirstIdWidth;
    uint64_t end = 0;  // Where the block ends, in bits.
    absl::Span<const Abbreviation> inherited;
    std::vector<Abbreviation> own;
  };

  // Ends the reading of an entry that is no record.
  Entry NextOther();
  // The block has changed to scopes_[depth_].
  void SetWidth() {
    id_width_ = scopes_[depth_].id_width;
    id_mask_ = (uint64_t{1} << id_width_) - 1;
  }
  bool Fail(const char* reason);
  Entry Failure(const char* reason);
  Entry SubBlock();
  bool ReadBlockHeader(uint32_t& id_width, uint64_t& end);
  bool LeaveBlock();
  // Whether the reader is in a block with the id.
  bool IsOpen(uint64_t block) const;
  // Null if the block has none with the number.
  const Abbreviation* AbbreviationOf(uint32_t id) const;

  // In record_fields.cc. These return the number of operands, which are in operands_, or kFailed.
  size_t ReadUnabbreviated(uint64_t position);
  size_t ReadFields(absl::Span<const Field> fields, bool has_list, uint64_t position);
  size_t ReadList(const Field& field, size_t used, uint64_t position);
  // The fields behind the code.
  static absl::Span<const Field> FieldsOf(const Abbreviation& abbreviation);
  bool Settle(uint64_t position);
  bool Fits(uint64_t count, uint32_t least, uint64_t position) const;
  // Makes room for `count` operands behind `used`, and returns where they begin.
  uint64_t* Reserve(size_t used, size_t count);
  bool ReadBlob();
  void SkipRecordsOf(uint32_t code, uint32_t other);
  void SkipFields();
  void SkipList(const Field& field);

  static constexpr size_t kFailed = SIZE_MAX;
  // Room for the operands of nearly all records.
  static constexpr size_t kFirstRoom = 64;

  BitCursor cursor_;
  const BlockInfo* info_;
  Scope scopes_[kDeepest + 1];  // The first one is the stream.
  size_t depth_ = 0;
  uint32_t id_width_ = kFirstIdWidth;  // Of the block.
  uint64_t id_mask_ = (1 << kFirstIdWidth) - 1;
  uint64_t entry_position_ = 0;
  uint32_t entry_id_ = 0;  // The number of the entry's abbreviation.
  // Of the record that has been begun. Null: the record is not abbreviated.
  const Abbreviation* abbreviation_ = nullptr;
  Record record_;
  std::vector<uint64_t> operands_;  // The record's, and room for more.
  // The first failure.
  const char* reason_ = nullptr;
  uint64_t failure_position_ = 0;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_BIT_READER_H_
