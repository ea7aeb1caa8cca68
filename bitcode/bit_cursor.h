// A position in a stream of bits (LLVM's "bitstream"), and the reading of numbers there.
//
// The bits of a byte come lowest first, so the stream is one little-endian number. Whoever reads
// past the end gets zeros, and the cursor remembers the failure: callers need not check each
// number, but ask failed() when a record is complete.
//
// Thread-compatible.

#ifndef FIRSTCALL_BITCODE_BIT_CURSOR_H_
#define FIRSTCALL_BITCODE_BIT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/base/optimization.h"
#include "absl/types/span.h"

namespace firstcall::bitcode {

class BitCursor {
 public:
  // The widest number that Fixed and Vbr read at once.
  static constexpr uint32_t kWidestField = 32;
  // How many of the bits that Peek returns are certainly those of the stream.
  static constexpr uint32_t kPeekedBits = 57;

  BitCursor() = default;
  // The bytes must outlive the cursor.
  explicit BitCursor(absl::Span<const uint8_t> bytes)
      : data_(bytes.data()), byte_count_(bytes.size()), bit_count_(uint64_t{8} * bytes.size()) {}

  // In bits, from the beginning.
  uint64_t position() const { return position_; }
  uint64_t bit_count() const { return bit_count_; }
  uint64_t bits_left() const { return bit_count_ - position_; }
  absl::Span<const uint8_t> bytes() const { return {data_, byte_count_}; }
  bool failed() const { return failed_; }
  // From now on, failed() is true, and the cursor stands at the end.
  void Fail() {
    failed_ = true;
    position_ = bit_count_;
  }

  // Moves to `position`. A position behind the end is a failure.
  void Jump(uint64_t position) {
    if (position > bit_count_) return Fail();
    position_ = position;
  }
  // Moves on by `count` bits.
  void Skip(uint64_t count) {
    if (ABSL_PREDICT_FALSE(count > bits_left())) return Fail();
    position_ += count;
  }
  // Moves on to the next multiple of 32 bits.
  void Align() { Jump((position_ + 31) & ~uint64_t{31}); }

  // The next kPeekedBits bits, the first one lowest, and perhaps some more. Zeros follow the end.
  uint64_t Peek() const { return Load(data_, byte_count_, position_); }

  // A number of `width` bits, at most kWidestField.
  uint64_t Fixed(uint32_t width) {
    const uint64_t bits = Peek() & ((uint64_t{1} << width) - 1);
    if (ABSL_PREDICT_FALSE(width > bits_left())) {
      Fail();
      return 0;
    }
    position_ += width;
    return bits;
  }

  // A number of variable length, in chunks of `width` bits, 2 to kWidestField: the highest bit of a
  // chunk says that another chunk follows, with higher bits. Bits behind the 64th are a failure.
  uint64_t Vbr(uint32_t width) {
    uint64_t position = position_;
    const uint64_t number = TakeVbr(data_, byte_count_, width, position);
    Jump(position);
    return number;
  }

  // What Peek returns at `position` of the bytes: for loops that keep the position in a register.
  static uint64_t Load(const uint8_t* data, size_t byte_count, uint64_t position) {
    const size_t byte = position >> 3;
    if (ABSL_PREDICT_FALSE(byte + sizeof(uint64_t) > byte_count)) {
      return LoadNearEnd(data, byte_count, position);
    }
    uint64_t word;
    std::memcpy(&word, data + byte, sizeof word);
    return word >> (position & 7);
  }

  // What Vbr returns at `position` of the bytes, for such loops: moves `position` behind the
  // number. If the number has too many bits, `position` is kTooFar afterwards.
  static constexpr uint64_t kTooFar = UINT64_MAX;
  static uint64_t TakeVbr(const uint8_t* data, size_t byte_count, uint32_t width,
                          uint64_t& position) {
    uint64_t word = Load(data, byte_count, position);
    const uint64_t more = uint64_t{1} << (width - 1);
    uint64_t number = word & (more - 1);
    if (ABSL_PREDICT_TRUE((word & more) == 0)) {
      position += width;
      return number;
    }
    // The next chunk is often the last one, and in the same word.
    word >>= width;
    if (ABSL_PREDICT_TRUE((word & more) == 0 && 2 * width <= kPeekedBits)) {
      position += 2 * width;
      return number | (word & (more - 1)) << (width - 1);
    }
    return TakeLongVbr(data, byte_count, width, position);
  }

 private:
  static uint64_t LoadNearEnd(const uint8_t* data, size_t byte_count, uint64_t position);
  static uint64_t TakeLongVbr(const uint8_t* data, size_t byte_count, uint32_t width,
                              uint64_t& position);

  const uint8_t* data_ = nullptr;
  size_t byte_count_ = 0;
  uint64_t bit_count_ = 0;
  uint64_t position_ = 0;
  bool failed_ = false;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_BIT_CURSOR_H_
