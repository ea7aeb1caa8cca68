// Sets of small numbers, as bits: a row of bits for each set.
//
// A plain value. Thread-compatible; reused to keep its memory.

#ifndef FIRSTCALL_DIRECT_OSR_BIT_TABLE_H_
#define FIRSTCALL_DIRECT_OSR_BIT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace firstcall::direct {

class BitTable {
 public:
  // Makes `rows` empty sets of numbers below `columns`.
  void Reset(size_t rows, size_t columns) {
    words_ = (columns + 63) / 64;
    bits_.assign(rows * words_, 0);
  }

  void Set(size_t row, size_t column) { bits_[row * words_ + column / 64] |= Bit(column); }
  void Clear(size_t row, size_t column) { bits_[row * words_ + column / 64] &= ~Bit(column); }
  bool Has(size_t row, size_t column) const {
    return (bits_[row * words_ + column / 64] & Bit(column)) != 0;
  }
  // The words of one set, the lowest numbers first.
  uint64_t* Row(size_t row) { return bits_.data() + row * words_; }
  const uint64_t* Row(size_t row) const { return bits_.data() + row * words_; }
  size_t words() const { return words_; }

 private:
  static uint64_t Bit(size_t column) { return uint64_t{1} << (column % 64); }

  size_t words_ = 0;
  std::vector<uint64_t> bits_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_BIT_TABLE_H_
