#include "bitcode/bit_cursor.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/bitcode/bit_writer.h"

namespace firstcall::bitcode {
namespace {

TEST(BitCursorTest, ReadsNumbersOfFixedWidthAcrossBytes) {
  BitWriter writer;
  writer.Fixed(5, 3).Fixed(0x12345678, 32).Fixed(1, 1).Fixed(0, 4);
  BitCursor cursor(writer.bytes());
  EXPECT_EQ(cursor.Fixed(3), 5u);
  EXPECT_EQ(cursor.Fixed(32), 0x12345678u);
  EXPECT_EQ(cursor.Fixed(0), 0u);
  EXPECT_EQ(cursor.Fixed(1), 1u);
  EXPECT_EQ(cursor.position(), 36u);
  EXPECT_FALSE(cursor.failed());
}

TEST(BitCursorTest, ReadsNumbersOfAllLengthsInChunksOfAllWidths) {
  for (uint32_t width = 2; width <= BitCursor::kWidestField; ++width) {
    BitWriter writer;
    for (uint32_t bits = 0; bits <= 64; ++bits) {
      writer.Vbr(bits == 0 ? 0 : UINT64_MAX >> (64 - bits), width);
    }
    BitCursor cursor(writer.bytes());
    for (uint32_t bits = 0; bits <= 64; ++bits) {
      EXPECT_EQ(cursor.Vbr(width), bits == 0 ? 0 : UINT64_MAX >> (64 - bits)) << width;
    }
    EXPECT_EQ(cursor.position(), writer.bit_position());
    EXPECT_FALSE(cursor.failed());
  }
}

TEST(BitCursorTest, FailsBehindTheEndAndStaysFailed) {
  const std::vector<uint8_t> bytes = {0xff, 0xff};
  BitCursor cursor(bytes);
  EXPECT_EQ(cursor.Fixed(17), 0u);
  EXPECT_TRUE(cursor.failed());
  EXPECT_EQ(cursor.bits_left(), 0u);
  EXPECT_EQ(cursor.Fixed(1), 0u);
}

TEST(BitCursorTest, FailsIfANumberDoesNotEnd) {
  const std::vector<uint8_t> bytes(40, 0xff);
  BitCursor cursor(bytes);
  cursor.Vbr(6);
  EXPECT_TRUE(cursor.failed());
}

TEST(BitCursorTest, FailsIfANumberHasBitsBehindThe64th) {
  BitWriter writer;
  for (int i = 0; i < 12; ++i) writer.Fixed(0x20, 6);
  writer.Fixed(0x10, 6).Align();  // The 65th bit.
  BitCursor cursor(writer.bytes());
  cursor.Vbr(6);
  EXPECT_TRUE(cursor.failed());
}

TEST(BitCursorTest, AlignsToMultiplesOf32Bits) {
  const std::vector<uint8_t> bytes(8);
  BitCursor cursor(bytes);
  cursor.Align();
  EXPECT_EQ(cursor.position(), 0u);
  cursor.Skip(1);
  cursor.Align();
  EXPECT_EQ(cursor.position(), 32u);
  cursor.Skip(33);
  EXPECT_TRUE(cursor.failed());
}

TEST(BitCursorTest, RefusesToJumpBehindTheEnd) {
  const std::vector<uint8_t> bytes(4);
  BitCursor cursor(bytes);
  cursor.Jump(32);
  EXPECT_FALSE(cursor.failed());
  cursor.Jump(33);
  EXPECT_TRUE(cursor.failed());
}

}  // namespace
}  // namespace firstcall::bitcode
