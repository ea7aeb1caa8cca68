// The records' part of BitReader. The loops keep the position in a register and do not look for the
// end of the stream: behind the end are zeros, and when a record is complete, Settle looks where
// the position is.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/base/optimization.h"
#include "bitcode/bit_reader.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

// Widths of chunks: of the numbers of records without abbreviations, of counts.
constexpr uint32_t kChunk = 6, kCountWidth = 6;

constexpr char kChar6[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
static_assert(sizeof kChar6 == 64 + 1);

uint64_t MaskOf(uint32_t width) { return (uint64_t{1} << width) - 1; }

// The bytes of a stream.
struct Source {
  const uint8_t* data;
  size_t byte_count;

  uint64_t Load(uint64_t position) const { return BitCursor::Load(data, byte_count, position); }
  uint64_t TakeVbr(uint32_t width, uint64_t& position) const {
    return BitCursor::TakeVbr(data, byte_count, width, position);
  }
};

Source SourceOf(const BitCursor& cursor) { return {cursor.bytes().data(), cursor.bytes().size()}; }

// Reads a field that is neither an array nor a blob.
inline uint64_t TakeScalar(const Source& source, const Field& field, uint64_t& position) {
  if (field.kind == FieldKind::kVbr) return source.TakeVbr(field.width, position);
  // A literal has the width 0; the others have the value 0.
  const uint64_t bits = source.Load(position) & MaskOf(field.width);
  position += field.width;
  if (ABSL_PREDICT_FALSE(field.kind == FieldKind::kChar6)) {
    return static_cast<uint8_t>(kChar6[bits]);
  }
  return bits | field.value;
}

// The marks of 9 chunks of 6 bits: that another chunk follows.
constexpr uint64_t kMarks = 0x20820820820820;
// Those of the first 4 chunks.
constexpr uint64_t kFirstMarks = kMarks & 0xffffff;
constexpr uint32_t kFirstBits = 24;

// A part of a stream that is in a register, and where the next part is.
struct Window {
  uint64_t word;
  uint32_t left;      // How many bits of `word` are still to be read.
  uint64_t position;  // Behind these bits.
};

// Reads `count` numbers in chunks of 6 bits. Numbers of up to 4 chunks are read without branches,
// which would depend on the numbers. Returns the position behind the last one.
inline uint64_t TakeVbr6(const Source source, size_t count, Window window, uint64_t* out) {
  for (uint64_t* const end = out + count; out != end; ++out) {
    if (window.left < kFirstBits) {
      window.position -= window.left;
      window.word = source.Load(window.position);
      window.left = BitCursor::kPeekedBits;
      window.position += window.left;
    }
    const uint64_t ends = ~window.word & kFirstMarks;
    if (ABSL_PREDICT_FALSE(ends == 0)) {
      uint64_t position = window.position - window.left;
      *out = source.TakeVbr(kChunk, position);
      if (position == BitCursor::kTooFar) return position;
      window = {0, 0, position};
      continue;
    }
    // The bits up to the first end, without marks. Pairs of chunks are packed, and then the pairs.
    uint64_t chunks = window.word & (ends ^ (ends - 1)) & ~kFirstMarks;
    chunks = (chunks & 0x01f01f) | (chunks >> 1 & 0x3e03e0);
    *out = (chunks & 0x3ff) | (chunks >> 2 & 0xffc00);
    const uint32_t size = static_cast<uint32_t>(__builtin_ctzll(ends)) + 1;
    window.word >>= size;
    window.left -= size;
  }
  return window.position - window.left;
}

// Reads `count` elements of `width` bits, as many from each word as it has.
void TakeFixed(const Source& source, uint32_t width, size_t count, uint64_t& position,
               uint64_t* out) {
  const uint64_t mask = MaskOf(width);
  const uint32_t in_word = BitCursor::kPeekedBits / width;
  while (count != 0) {
    uint64_t word = source.Load(position);
    const size_t now = std::min<size_t>(count, in_word);
    for (size_t i = 0; i < now; ++i) {
      *out++ = word & mask;
      word >>= width;
    }
    position += now * width;
    count -= now;
  }
}

// Moves `position` behind `count` numbers in chunks of 6 bits. Looks at 9 chunks at once: a number
// ends with a chunk without a mark.
inline void SkipVbr6(const Source& source, uint64_t count, uint64_t& position) {
  constexpr uint32_t kChunks = 9, kBits = kChunks * kChunk;
  constexpr uint64_t kOnes = kMarks >> (kChunk - 1);  // A 1 in each chunk.
  while (count != 0) {
    // Each chunk: how many numbers end up to there, at most 9.
    const uint64_t ended = ((~source.Load(position) & kMarks) >> (kChunk - 1)) * kOnes;
    if (count <= kChunks) {
      // The highest bit of a chunk, 32: at least `count` numbers end up to there.
      const uint64_t enough = (ended + (32 - count) * kOnes) & kMarks;
      if (enough != 0) {
        position += static_cast<uint64_t>(__builtin_ctzll(enough)) + 1;
        return;
      }
    }
    position += kBits;
    count -= ended >> (kBits - kChunk) & 0x3f;
  }
}

// Moves `position` behind a number in chunks of `width` bits, however many these are.
inline void SkipVbr(const Source& source, uint32_t width, uint64_t& position) {
  const uint64_t more = uint64_t{1} << (width - 1);
  for (;;) {
    uint64_t word = source.Load(position);
    for (uint32_t left = BitCursor::kPeekedBits; left >= width; left -= width) {
      position += width;
      if ((word & more) == 0) return;
      word >>= width;
    }
  }
}

}  // namespace

// Ends the reading of a part of a record at `position`.
bool BitReader::Settle(uint64_t position) {
  if (ABSL_PREDICT_TRUE(position <= cursor_.bit_count())) {
    cursor_.Jump(position);
    return true;
  }
  return Fail(position == BitCursor::kTooFar ? "a number has more than 64 bits"
                                             : "the stream ends within a record");
}

// Whether `count` elements of at least `least` bits may follow `position`.
bool BitReader::Fits(uint64_t count, uint32_t least, uint64_t position) const {
  if (position > cursor_.bit_count()) return false;
  const uint64_t left = cursor_.bit_count() - position;
  return count <= left && count * least <= left;  // Without a division.
}

inline uint64_t* BitReader::Reserve(size_t used, size_t count) {
  if (ABSL_PREDICT_FALSE(operands_.size() - used < count)) {
    operands_.resize(std::max(2 * operands_.size(), used + count));
  }
  return operands_.data() + used;
}

inline absl::Span<const Field> BitReader::FieldsOf(const Abbreviation& abbreviation) {
  return absl::MakeConstSpan(abbreviation.fields).subspan(abbreviation.has_code ? 0 : 1);
}

uint32_t BitReader::ReadCode() {
  record_.operands = {};
  record_.blob = {};
  const Source source = SourceOf(cursor_);
  uint64_t position = cursor_.position(), code;
  if (entry_id_ == kUnabbreviatedId) {
    abbreviation_ = nullptr;
    code = source.TakeVbr(kChunk, position);
  } else {
    abbreviation_ = AbbreviationOf(entry_id_);
    if (ABSL_PREDICT_FALSE(abbreviation_ == nullptr)) {
      Fail("a record's abbreviation is not defined");
      return Record::kNoCode;
    }
    if (ABSL_PREDICT_TRUE(abbreviation_->has_code)) return record_.code = abbreviation_->code;
    code = TakeScalar(source, abbreviation_->fields[0], position);
  }
  if (!Settle(position)) return Record::kNoCode;
  if (ABSL_PREDICT_FALSE(code >= Record::kNoCode)) {
    Fail("a record has no valid code");
    return Record::kNoCode;
  }
  return record_.code = static_cast<uint32_t>(code);
}

const Record& BitReader::ReadRecord() {
  if (entry_id_ != kUnabbreviatedId) {
    ReadCode();
    return ReadOperands();
  }
  // Nearly all records have a code of at most two chunks and less than 32 operands.
  const Source source = SourceOf(cursor_);
  Window window = {source.Load(cursor_.position()), BitCursor::kPeekedBits,
                   cursor_.position() + BitCursor::kPeekedBits};
  uint64_t code = window.word & 0x1f;
  uint32_t size = kChunk;
  if ((window.word & 0x20) != 0) {
    code |= window.word >> 1 & 0x3e0;
    size = 2 * kChunk;
  }
  const uint64_t count = window.word >> size;
  if (ABSL_PREDICT_FALSE((count & 0x20) != 0 || (window.word >> (size - 1) & 1) != 0)) {
    ReadCode();
    return ReadOperands();
  }
  window.word = count >> kChunk;
  window.left -= size + kChunk;
  static_assert(kFirstRoom >= 0x1f);
  if (Settle(TakeVbr6(source, count & 0x1f, window, operands_.data()))) {
    record_ = {static_cast<uint32_t>(code), {operands_.data(), count & 0x1f}, {}};
  }
  return record_;
}

const Record& BitReader::ReadOperands() {
  const uint64_t position = cursor_.position();
  size_t count;
  if (abbreviation_ == nullptr) {
    count = ReadUnabbreviated(position);
  } else {
    count = ReadFields(FieldsOf(*abbreviation_), abbreviation_->has_list, position);
  }
  if (ABSL_PREDICT_TRUE(count != kFailed)) record_.operands = {operands_.data(), count};
  return record_;
}

inline size_t BitReader::ReadUnabbreviated(uint64_t position) {
  const Source source = SourceOf(cursor_);
  const uint64_t count = source.TakeVbr(kCountWidth, position);
  if (ABSL_PREDICT_FALSE(failed() || !Fits(count, kChunk, position))) {
    Fail("a record is longer than the stream");
    return kFailed;
  }
  position = TakeVbr6(source, count, {0, 0, position}, Reserve(0, count));
  return Settle(position) ? count : kFailed;
}

inline size_t BitReader::ReadFields(absl::Span<const Field> fields, bool has_list,
                                    uint64_t position) {
  if (ABSL_PREDICT_FALSE(failed())) return kFailed;
  const Source source = SourceOf(cursor_);
  uint64_t* out = Reserve(0, fields.size());
  const Field* const end = fields.data() + fields.size() - (has_list ? 1 : 0);
  for (const Field* field = fields.data(); field != end; ++field) {
    *out++ = TakeScalar(source, *field, position);
    if (ABSL_PREDICT_FALSE(position == BitCursor::kTooFar)) break;
  }
  if (!Settle(position)) return kFailed;
  return has_list ? ReadList(*end, fields.size() - 1, position) : fields.size();
}

// Reads an array or a blob that follows `used` operands.
size_t BitReader::ReadList(const Field& field, size_t used, uint64_t position) {
  if (field.kind == FieldKind::kBlob) return ReadBlob() ? used : kFailed;
  const Source source = SourceOf(cursor_);
  const uint64_t count = source.TakeVbr(kCountWidth, position);
  if (ABSL_PREDICT_FALSE(!Fits(count, field.width, position))) {
    Fail("a record is longer than the stream");
    return kFailed;
  }
  uint64_t* const first = Reserve(used, count);
  if (field.kind != FieldKind::kVbrArray) {
    TakeFixed(source, field.width, count, position, first);
    if (field.kind == FieldKind::kChar6Array) {
      for (size_t i = 0; i < count; ++i) first[i] = static_cast<uint8_t>(kChar6[first[i]]);
    }
  } else if (field.width == kChunk) {
    position = TakeVbr6(source, count, {0, 0, position}, first);
  } else {
    for (size_t i = 0; i < count && position != BitCursor::kTooFar; ++i) {
      first[i] = source.TakeVbr(field.width, position);
    }
  }
  return Settle(position) ? used + count : kFailed;
}

// The bytes begin and end at multiples of 32 bits.
bool BitReader::ReadBlob() {
  const uint64_t count = cursor_.Vbr(kCountWidth);
  cursor_.Align();
  const uint64_t first = cursor_.position() / 8;
  if (failed() || count > cursor_.bits_left() / 8) {
    return Fail("a record is longer than the stream");
  }
  cursor_.Skip(8 * count);
  cursor_.Align();
  if (failed()) return Fail("the stream ends within a record");
  record_.blob = {reinterpret_cast<const char*>(cursor_.bytes().data()) + first, count};
  return true;
}

void BitReader::SkipOperands() {
  if (failed()) return;
  if (abbreviation_ != nullptr) return SkipFields();
  const Source source = SourceOf(cursor_);
  uint64_t position = cursor_.position();
  const uint64_t count = source.TakeVbr(kCountWidth, position);
  if (!Fits(count, kChunk, position)) {
    Fail("a record is longer than the stream");
    return;
  }
  SkipVbr6(source, count, position);
  Settle(position);
}

void BitReader::SkipRecordsOf(uint32_t code, uint32_t other) {
  const Source source = SourceOf(cursor_);
  // What begins such a record: the number that says that there is no abbreviation, and the code.
  const auto begin_with = [&](uint32_t record_code) {
    const uint64_t chunks = (record_code & 0x1f) | 0x20 | uint64_t{record_code >> 5} << kChunk;
    return kUnabbreviatedId | chunks << id_width_;
  };
  const uint64_t begin = begin_with(code), other_begin = begin_with(other);
  const uint32_t width = id_width_ + 2 * kChunk;
  uint64_t position = cursor_.position();
  for (;;) {
    const uint64_t word = source.Load(position);
    const uint64_t first = word & MaskOf(width), count = word >> width & 0x3f;
    if ((first != begin && first != other_begin) || count > 0x1f) break;
    uint64_t end = position + width + kChunk;
    SkipVbr6(source, count, end);
    if (ABSL_PREDICT_FALSE(end > cursor_.bit_count())) break;
    position = end;
  }
  cursor_.Jump(position);
}

void BitReader::SkipFields() {
  const Source source = SourceOf(cursor_);
  uint64_t position = cursor_.position();
  for (const Field& field : FieldsOf(*abbreviation_)) {
    if (field.kind > FieldKind::kChar6) {
      if (Settle(position)) SkipList(field);
      return;
    }
    if (field.kind == FieldKind::kVbr) {
      SkipVbr(source, field.width, position);
    } else {
      position += field.width;
    }
  }
  Settle(position);
}

void BitReader::SkipList(const Field& field) {
  if (field.kind == FieldKind::kBlob) {
    ReadBlob();
    return;
  }
  const Source source = SourceOf(cursor_);
  uint64_t position = cursor_.position();
  uint64_t count = source.TakeVbr(kCountWidth, position);
  if (!Fits(count, field.width, position)) {
    Fail("a record is longer than the stream");
    return;
  }
  if (field.kind != FieldKind::kVbrArray) {
    position += count * field.width;
  } else if (field.width == kChunk) {
    SkipVbr6(source, count, position);
  } else {
    for (; count != 0; --count) SkipVbr(source, field.width, position);
  }
  Settle(position);
}

}  // namespace firstcall::bitcode
