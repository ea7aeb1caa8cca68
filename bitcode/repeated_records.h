// Recognizes the records of globals that say what an earlier one has said, but for the name. Of a
// module's many functions most have such a record, which then need not be decoded: the bits are the
// same.
//
// A part of ModuleReader. Thread-compatible.

#ifndef FIRSTCALL_BITCODE_REPEATED_RECORDS_H_
#define FIRSTCALL_BITCODE_REPEATED_RECORDS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/global.h"

namespace firstcall::bitcode {

class RepeatedRecords {
 public:
  struct Found {
    const ir::GlobalTraits* traits = nullptr;
    uint64_t name_offset = 0, name_size = 0;  // The record's first two operands.
    uint64_t end = 0;                         // Where the record ends, in bits.
  };

  // `stream` must outlive the object.
  explicit RepeatedRecords(absl::Span<const uint8_t> stream) : stream_(stream) {}

  // Compares the record without abbreviation at `position`, where its code is, with earlier ones.
  // False: no earlier one is known that has the same operands behind the first two, or the record
  // is no function's, or it is not complete.
  bool Find(uint64_t position, Found& found) const;

  // Says that a global with the record without abbreviation from `position` to `end` has `traits`,
  // and nothing besides them and the name. Such records may be forgotten again.
  void Add(uint64_t position, uint64_t end, const ir::GlobalTraits* traits);

 private:
  // The operands behind the first two are compared as words of so many bits.
  static constexpr uint32_t kWordBits = 57;
  static constexpr uint32_t kWords = 3;
  // What the first word decides.
  static constexpr uint32_t kEntriesLog = 5;

  // Of a record: the number of its operands, the first two, and where the others begin.
  struct Head {
    uint64_t count = 0, first = 0, second = 0, tail = 0;
  };
  struct Entry {
    uint64_t words[kWords] = {};
    uint64_t count = 0;  // Of the operands.
    uint64_t bits = 0;   // Of the words.
    const ir::GlobalTraits* traits = nullptr;
  };

  bool ReadHead(uint64_t position, Head& head) const;
  // As BitCursor::TakeVbr, and takes a number of up to 4 chunks without a loop.
  uint64_t Take(uint64_t& position) const;
  // The bits at `position`, at most kWordBits of `count`.
  uint64_t WordAt(uint64_t position, uint64_t count) const;
  static uint64_t PlaceOf(uint64_t word) {
    return (word * 0x9e3779b97f4a7c15) >> (64 - kEntriesLog);
  }

  const absl::Span<const uint8_t> stream_;
  std::vector<Entry> entries_;  // Empty until the first one is added.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_REPEATED_RECORDS_H_
