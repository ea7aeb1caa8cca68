#include "bitcode/body_place.h"

#include "bitcode/bit_cursor.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {

uint64_t PeekBlockCount(absl::Span<const uint8_t> stream, uint64_t position) {
  const uint64_t width = BitCursor::Load(stream.data(), stream.size(), position) & 0xf;
  // The numbers of abbreviations have fewer bits than would take another chunk.
  if (width < 2 || width > 7) return 0;
  position = ((position + 4 + 31) & ~uint64_t{31}) + 32;
  const uint64_t word = BitCursor::Load(stream.data(), stream.size(), position);
  // The code, and one operand, in chunks of 6 bits.
  const uint64_t begin = kUnabbreviatedId | (uint64_t{kFunctionDeclareBlocks} | 1 << 6) << width;
  const uint64_t begin_width = width + 2 * 6;
  if ((word & ((uint64_t{1} << begin_width) - 1)) != begin) return 0;
  position += begin_width;
  const uint64_t count = BitCursor::TakeVbr(stream.data(), stream.size(), 6, position);
  return position <= 8 * uint64_t{stream.size()} ? count : 0;
}

}  // namespace firstcall::bitcode
