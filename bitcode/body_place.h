// Where the body of a function is in a bitstream.
//
// A plain value, and a pure function.

#ifndef FIRSTCALL_BITCODE_BODY_PLACE_H_
#define FIRSTCALL_BITCODE_BODY_PLACE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace firstcall::bitcode {

struct BodyPlace {
  // Files of 128 GiB, and functions of as many blocks, are refused.
  static constexpr uint64_t kMostBits = uint64_t{1} << 40;
  static constexpr uint64_t kMostBlocks = (uint64_t{1} << 24) - 1;

  BodyPlace() : BodyPlace(0, 0) {}
  // Both must be less than, or as many as, the most.
  BodyPlace(uint64_t bit, uint64_t block_count) : bit_(bit), block_count_(block_count) {}

  // In bits, where BitReader::Jump or Restart leads. EnterBlock(kFunctionBlock) comes next. 0: the
  // function has no body.
  uint64_t bit() const { return bit_; }
  // At least 1 of a body.
  uint32_t block_count() const { return static_cast<uint32_t>(block_count_); }

 private:
  uint64_t bit_ : 40;
  uint64_t block_count_ : 24;
};

// The number of blocks that the first record of a body says, whose block begins at bit `position`
// of the stream, if the record is as LLVM writes such records. 0: it is something else.
uint64_t PeekBlockCount(absl::Span<const uint8_t> stream, uint64_t position);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_BODY_PLACE_H_
