#include "bitcode/repeated_records.h"

#include "absl/base/optimization.h"
#include "bitcode/bit_cursor.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

// The numbers of a record without abbreviation have chunks of 6 bits.
constexpr uint32_t kChunk = 6;
constexpr uint64_t kChunkMask = 0x3f;
// Says that another chunk follows.
constexpr uint64_t kMore = 0x20;

// The marks of 4 chunks.
constexpr uint64_t kFirstMarks = 0x820820;

// A record with fewer operands may have fewer bits than a word behind the first two.
constexpr uint64_t kFewestOperands = 2 + 10;

static_assert(kModuleFunction < kMore);

}  // namespace

inline uint64_t RepeatedRecords::Take(uint64_t& position) const {
  const uint64_t word = BitCursor::Load(stream_.data(), stream_.size(), position);
  const uint64_t ends = ~word & kFirstMarks;
  if (ABSL_PREDICT_FALSE(ends == 0)) {
    return BitCursor::TakeVbr(stream_.data(), stream_.size(), kChunk, position);
  }
  // The bits up to the first end, without marks. Pairs of chunks are packed, and then the pairs.
  uint64_t chunks = word & (ends ^ (ends - 1)) & ~kFirstMarks;
  chunks = (chunks & 0x01f01f) | (chunks >> 1 & 0x3e03e0);
  position += static_cast<uint64_t>(__builtin_ctzll(ends)) + 1;
  return (chunks & 0x3ff) | (chunks >> 2 & 0xffc00);
}

inline bool RepeatedRecords::ReadHead(uint64_t position, Head& head) const {
  const uint64_t word = BitCursor::Load(stream_.data(), stream_.size(), position);
  head.count = word >> kChunk & kChunkMask;
  if ((word & kChunkMask) != kModuleFunction || (head.count & kMore) != 0 ||
      head.count < kFewestOperands) {
    return false;
  }
  position += 2 * kChunk;
  head.first = Take(position);
  if (position == BitCursor::kTooFar) return false;
  head.second = Take(position);
  head.tail = position;
  return position != BitCursor::kTooFar;
}

uint64_t RepeatedRecords::WordAt(uint64_t position, uint64_t count) const {
  static_assert(kWordBits <= BitCursor::kPeekedBits);
  const uint64_t word = BitCursor::Load(stream_.data(), stream_.size(), position);
  return word & ((uint64_t{1} << (count < kWordBits ? count : kWordBits)) - 1);
}

// The same bits are the same numbers: where a number ends, its own bits say.
bool RepeatedRecords::Find(uint64_t position, Found& found) const {
  Head head;
  if (entries_.empty() || !ReadHead(position, head)) return false;
  uint64_t word = WordAt(head.tail, kWordBits);
  const Entry& entry = entries_[PlaceOf(word)];
  if (entry.traits == nullptr || entry.count != head.count) return false;
  for (uint64_t i = 0, begin = 0;; ++i) {
    if (word != entry.words[i]) return false;
    begin += kWordBits;
    if (begin >= entry.bits) break;
    word = WordAt(head.tail + begin, entry.bits - begin);
  }
  found = {entry.traits, head.first, head.second, head.tail + entry.bits};
  return found.end <= uint64_t{8} * stream_.size();
}

void RepeatedRecords::Add(uint64_t position, uint64_t end, const ir::GlobalTraits* traits) {
  Head head;
  if (!ReadHead(position, head) || end < head.tail + kWordBits ||
      end - head.tail > kWords * kWordBits) {
    return;
  }
  Entry entry;
  entry.count = head.count;
  entry.bits = end - head.tail;
  entry.traits = traits;
  for (uint64_t i = 0; i * kWordBits < entry.bits; ++i) {
    entry.words[i] = WordAt(head.tail + i * kWordBits, entry.bits - i * kWordBits);
  }
  if (entries_.empty()) entries_.resize(size_t{1} << kEntriesLog);
  entries_[PlaceOf(entry.words[0])] = entry;
}

}  // namespace firstcall::bitcode
