#include "bitcode/repeated_records.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "bitcode/records.h"
#include "gtest/gtest.h"
#include "ir/global.h"
#include "tests/bitcode/bit_writer.h"

namespace firstcall::bitcode {
namespace {

// Of a record whose first two operands are given; the last one is `last`.
std::vector<uint64_t> Operands(uint64_t first, uint64_t second, uint64_t last = 1) {
  return {first, second, 7, 0, 0, 3, 40, 0, 0, 0, 0, 0, 0, 0, 0, 1u << 20, 0, last};
}

class RepeatedRecordsTest : public ::testing::Test {
 protected:
  // Writes a record without abbreviation. Returns where its code begins.
  uint64_t Write(const std::vector<uint64_t>& operands, uint32_t code = kModuleFunction) {
    const uint64_t begin = writer_.bit_position() + kIdWidth;
    writer_.Record(code, operands);
    ends_.push_back(writer_.bit_position());
    return begin;
  }
  uint64_t end() const { return ends_.back(); }
  RepeatedRecords Records() const { return RepeatedRecords(absl::MakeConstSpan(writer_.bytes())); }

  static constexpr uint32_t kIdWidth = 2;
  BitWriter writer_;
  std::vector<uint64_t> ends_;
  ir::GlobalTraits traits_;
  RepeatedRecords::Found found_;
};

TEST_F(RepeatedRecordsTest, FindsWhatDiffersInTheFirstTwoOperandsOnly) {
  const uint64_t first = Write(Operands(5, 6)), first_end = end();
  for (uint64_t number :
       {uint64_t{0}, uint64_t{31}, uint64_t{32}, uint64_t{1023}, uint64_t{1024}, uint64_t{32767},
        uint64_t{32768}, uint64_t{0xfffff}, uint64_t{0x100000}, uint64_t{1} << 40, UINT64_MAX}) {
    for (const std::vector<uint64_t>& operands : {Operands(number, 3), Operands(3, number)}) {
      const uint64_t begin = Write(operands);
      writer_.Align();
      RepeatedRecords records = Records();
      EXPECT_FALSE(records.Find(begin, found_));
      records.Add(first, first_end, &traits_);
      ASSERT_TRUE(records.Find(begin, found_));
      EXPECT_EQ(found_.traits, &traits_);
      EXPECT_EQ(found_.name_offset, operands[0]);
      EXPECT_EQ(found_.name_size, operands[1]);
      EXPECT_EQ(found_.end, end());
    }
  }
}

TEST_F(RepeatedRecordsTest, EachOtherOperandCounts) {
  const uint64_t first = Write(Operands(5, 6)), first_end = end();
  std::vector<uint64_t> others;
  for (size_t i = 2; i < Operands(0, 0).size(); ++i) {
    std::vector<uint64_t> operands = Operands(5, 6);
    operands[i] ^= 2;
    others.push_back(Write(operands));
  }
  std::vector<uint64_t> operands = Operands(5, 6);
  operands.push_back(0);
  others.push_back(Write(operands));
  others.push_back(Write(Operands(5, 6), kModuleVariable));
  const uint64_t same = Write(Operands(5, 6));
  RepeatedRecords records = Records();
  records.Add(first, first_end, &traits_);
  for (uint64_t other : others) EXPECT_FALSE(records.Find(other, found_));
  EXPECT_TRUE(records.Find(same, found_));
}

TEST_F(RepeatedRecordsTest, RecordsWithFewOrWithManyBitsAreNotKept) {
  std::vector<uint64_t> few(11, 1), many = Operands(1, 1);
  for (size_t i = 2; i < many.size(); ++i) many[i] = UINT64_MAX;
  for (const std::vector<uint64_t>& operands : {few, many}) {
    const uint64_t begin = Write(operands);
    writer_.Align();
    RepeatedRecords records = Records();
    records.Add(begin, end(), &traits_);
    EXPECT_FALSE(records.Find(begin, found_));
  }
}

TEST_F(RepeatedRecordsTest, RecordsBehindTheEndAreNotFound) {
  const uint64_t first = Write(Operands(5, 6)), first_end = end();
  const uint64_t second = Write(Operands(70000, 80000, 0));
  const absl::Span<const uint8_t> all = writer_.bytes();
  // The last operand is zero, as what is read behind the end.
  for (uint64_t bytes = 0; bytes <= all.size(); ++bytes) {
    RepeatedRecords records(all.first(bytes));
    records.Add(first, first_end, &traits_);
    if (records.Find(second, found_)) {
      EXPECT_LE(found_.end, 8 * bytes);
    }
  }
}

}  // namespace
}  // namespace firstcall::bitcode
