#include "bitcode/bit_cursor.h"

namespace firstcall::bitcode {

// Fewer than 8 bytes are left, perhaps none.
uint64_t BitCursor::LoadNearEnd(const uint8_t* data, size_t byte_count, uint64_t position) {
  const size_t byte = position >> 3;
  if (byte >= byte_count) return 0;
  uint64_t word = 0;
  for (size_t i = byte_count; i-- > byte;) word = word << 8 | data[i];
  return word >> (position & 7);
}

// Takes as many chunks from a word as it has.
uint64_t BitCursor::TakeLongVbr(const uint8_t* data, size_t byte_count, uint32_t width,
                                uint64_t& position) {
  const uint64_t more = uint64_t{1} << (width - 1);
  uint64_t number = 0;
  uint32_t shift = 0;
  for (;;) {
    uint64_t word = Load(data, byte_count, position);
    for (uint32_t taken = width; taken <= kPeekedBits; taken += width) {
      const uint64_t bits = word & (more - 1);
      number |= bits << shift;
      position += width;
      if (ABSL_PREDICT_FALSE(shift + width > 64) && (bits << shift) >> shift != bits) {
        position = kTooFar;
        return 0;
      }
      if ((word & more) == 0) return number;
      shift += width - 1;
      if (ABSL_PREDICT_FALSE(shift >= 64)) {
        position = kTooFar;
        return 0;
      }
      word >>= width;
    }
  }
}

}  // namespace firstcall::bitcode
