// That exceptions really pass through registered tables is shown by the engine's tests, with code
// LLVM emitted; here tables are empty ones (a terminator), and the groups are counted.

#include "memory/unwind_registry.h"

#include <vector>

#include "gtest/gtest.h"
#include "memory/executor_address.h"

namespace firstcall {
namespace {

// A CIE and an FDE for addresses nobody has, so that the unwinder has something to sort.
struct Table {
  uint32_t cie_length = 12, cie_id = 0;
  uint8_t version = 1, augmentation = 0, code_alignment = 1, data_alignment = 0x78;
  uint8_t return_register = 16, no_operations[3] = {};
  uint32_t fde_length = 20, cie_distance = 20;
  uint64_t begin = 0, size = 16;
  uint32_t end = 0;
} __attribute__((packed));

std::vector<Table> Tables(size_t count) {
  std::vector<Table> tables(count);
  for (size_t i = 0; i < count; ++i) tables[i].begin = 0x1000 + 16 * i;
  return tables;
}

// The unwinder has to look at every table to find this one's frame.
bool CanThrow() {
  try {
    throw 1;
  } catch (int) {
    return true;
  }
}

TEST(UnwindRegistryTest, NumberOfGroupsIsLogarithmic) {
  const std::vector<Table> tables = Tables(1000);
  UnwindRegistry registry(UnwindRegistry::Grouping::kMerge);
  for (size_t i = 0; i < tables.size(); ++i) {
    registry.Register(ExecutorAddress::Of(&tables[i]));
    // As the digits of a binary counter: one group for each digit that is set.
    EXPECT_EQ(registry.group_count(), static_cast<size_t>(__builtin_popcountll(i + 1)));
  }
  EXPECT_TRUE(CanThrow());
}

TEST(UnwindRegistryTest, MergesGroupsTheUnwinderHasSorted) {
  const std::vector<Table> tables = Tables(64);
  UnwindRegistry registry(UnwindRegistry::Grouping::kMerge);
  for (const Table& table : tables) {
    registry.Register(ExecutorAddress::Of(&table));
    EXPECT_TRUE(CanThrow());
  }
  EXPECT_EQ(registry.group_count(), 1u);
}

TEST(UnwindRegistryTest, IndividualGroupingRegistersEach) {
  const std::vector<Table> tables = Tables(5);
  UnwindRegistry registry(UnwindRegistry::Grouping::kIndividual);
  for (const Table& table : tables) registry.Register(ExecutorAddress::Of(&table));
  EXPECT_EQ(registry.group_count(), 5u);
  EXPECT_TRUE(CanThrow());
}

TEST(UnwindRegistryTest, WithdrawsAllWhenDestroyed) {
  for (auto grouping : {UnwindRegistry::Grouping::kMerge, UnwindRegistry::Grouping::kIndividual}) {
    {
      std::vector<Table> tables = Tables(7);
      UnwindRegistry registry(grouping);
      for (const Table& table : tables) registry.Register(ExecutorAddress::Of(&table));
      EXPECT_TRUE(CanThrow());
    }
    EXPECT_TRUE(CanThrow());  // The tables are gone; nobody may look at them any more.
  }
}

}  // namespace
}  // namespace firstcall
