#include "backend/baseline/leb128.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "llvm/Support/LEB128.h"

namespace firstcall::baseline {
namespace {

using Bytes = std::vector<uint8_t>;

// Numbers around each power of two, and their negations.
std::vector<int64_t> Numbers() {
  std::vector<int64_t> numbers;
  for (int bit = 0; bit < 64; ++bit) {
    for (uint64_t distance : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
      const uint64_t number = (uint64_t{1} << bit) + distance;
      numbers.push_back(static_cast<int64_t>(number));
      numbers.push_back(static_cast<int64_t>(-number));
    }
  }
  return numbers;
}

TEST(Leb128Test, WritesWhatLlvmWrites) {
  for (int64_t number : Numbers()) {
    const auto bits = static_cast<uint64_t>(number);
    uint8_t written[kMostLeb128Bytes], expected[kMostLeb128Bytes];
    EXPECT_EQ(Bytes(written, PutUnsignedLeb128(bits, written)),
              Bytes(expected, expected + llvm::encodeULEB128(bits, expected)))
        << bits;
    EXPECT_EQ(UnsignedLeb128Size(bits), llvm::getULEB128Size(bits)) << bits;
    EXPECT_EQ(Bytes(written, PutSignedLeb128(number, written)),
              Bytes(expected, expected + llvm::encodeSLEB128(number, expected)))
        << number;
  }
}

}  // namespace
}  // namespace firstcall::baseline
