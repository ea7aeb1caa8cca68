#include "object/unwind_table.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr ExecutorAddress kTable(0x10000), kCode(0x20000);
constexpr size_t kCodeSize = 0x100;

void Append(uint64_t value, size_t size, std::vector<uint8_t>& to) {
  for (size_t i = 0; i < size; ++i) to.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// A common entry, as LLVM emits it, and an entry for `size` bytes at `function`.
std::vector<uint8_t> MakeTable(uint64_t function, uint32_t size) {
  std::vector<uint8_t> table;
  Append(16, 4, table);  // Length.
  Append(0, 4, table);
  table.insert(table.end(), {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0});
  Append(20, 4, table);
  Append(table.size(), 4, table);  // From here back to the common entry.
  Append(function - (kTable.value() + table.size()), 4, table);
  Append(size, 4, table);
  Append(0, 8, table);
  return table;
}

absl::Status Check(const std::vector<uint8_t>& table) {
  return CheckUnwindTable(table, kTable, kCode, kCodeSize);
}

TEST(UnwindTableTest, AcceptsWhatDescribesTheCode) {
  EXPECT_THAT(Check(MakeTable(kCode.value(), kCodeSize)), IsOk());
  EXPECT_THAT(Check(MakeTable(kCode.value() + 0x80, 0x80)), IsOk());
  EXPECT_THAT(Check({}), IsOk());
}

TEST(UnwindTableTest, NothingCountsBehindTheEnd) {
  std::vector<uint8_t> table = MakeTable(kCode.value(), kCodeSize);
  Append(0, 4, table);
  Append(0x123456, 3, table);
  EXPECT_THAT(Check(table), IsOk());
}

TEST(UnwindTableTest, RefusesWhatDescribesOtherCode) {
  for (const auto& table :
       {MakeTable(kCode.value() - 1, 1), MakeTable(kCode.value(), 0x101),
        MakeTable(kCode.value() + 0x81, 0x80), MakeTable(kCode.value() + 0x101, 0)}) {
    EXPECT_THAT(Check(table),
                StatusIs(absl::StatusCode::kInvalidArgument, "its unwind table is damaged"));
  }
}

// As `ld.lld -r` leaves them.
TEST(UnwindTableTest, FunctionsThatWereRemovedDoNotCount) {
  std::vector<uint8_t> table = MakeTable(kCode.value(), kCodeSize);
  constexpr size_t kPlaceOfFunction = 28;
  for (size_t i = 0; i < 4; ++i) table[kPlaceOfFunction + i] = 0;
  EXPECT_THAT(Check(table), IsOk());
}

TEST(UnwindTableTest, RefusesWhatIsCutOff) {
  const std::vector<uint8_t> whole = MakeTable(kCode.value(), kCodeSize);
  const size_t common = 20;
  for (size_t size = 1; size < whole.size(); ++size) {
    const std::vector<uint8_t> cut(whole.begin(), whole.begin() + size);
    EXPECT_EQ(Check(cut).ok(), size == common) << size;
  }
}

TEST(UnwindTableTest, RefusesCommonEntriesItDoesNotKnow) {
  const std::vector<uint8_t> good = MakeTable(kCode.value(), kCodeSize);
  const struct {
    size_t at;
    uint8_t value;
  } damages[] = {{8, 2}, {9, 'e'}, {10, 'Q'}, {16, 0x9b}, {16, 0x2b}, {16, 0x11}, {16, 0xff}};
  for (const auto& damage : damages) {
    std::vector<uint8_t> table = good;
    table[damage.at] = damage.value;
    EXPECT_THAT(Check(table), StatusIs(absl::StatusCode::kInvalidArgument)) << damage.at;
  }
}

TEST(UnwindTableTest, EveryDamagedByteIsRefusedOrHarmless) {
  const std::vector<uint8_t> good = MakeTable(kCode.value(), kCodeSize);
  for (size_t at = 0; at < good.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::vector<uint8_t> table = good;
      table[at] = static_cast<uint8_t>(value);
      Check(table).IgnoreError();
    }
  }
}

}  // namespace
}  // namespace firstcall
