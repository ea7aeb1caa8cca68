// Against the unwinder itself: what it finds for an address is what was registered for it. That
// exceptions pass through compiled code is shown by the engine's tests.

#include "memory/unwind_registry.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "memory/executor_address.h"
#include "memory/unwind_groups.h"
#include "tests/testing/unwind_registries.h"

// libgcc's (unwind-dw2-fde.h): the entry for an address.
extern "C" const void* _Unwind_Find_FDE(void* pc, void* bases);

namespace firstcall {
namespace {

// A CIE and an FDE for `size` bytes of code at `begin`.
struct Table {
  uint32_t cie_length = 12, cie_id = 0;
  uint8_t version = 1, augmentation = 0, code_alignment = 1, data_alignment = 0x78;
  uint8_t return_register = 16, no_operations[3] = {};
  uint32_t fde_length = 20, cie_distance = 20;
  uint64_t begin = 0, size = 16;
  uint32_t end = 0;

  UnwindTable unwind() const { return {ExecutorAddress::Of(this), ExecutorAddress(begin)}; }
  // Whether the unwinder knows the code at its end.
  bool IsFound() const {
    void* bases[3] = {};
    return _Unwind_Find_FDE(reinterpret_cast<void*>(begin + size - 1), bases) == &fde_length;
  }
} __attribute__((packed));

// Of code that nobody has, one after the other.
std::vector<Table> Tables(size_t count, uint64_t size = 16) {
  std::vector<Table> tables(count);
  for (size_t i = 0; i < count; ++i) {
    tables[i].begin = 0x10000 + size * i;
    tables[i].size = size;
  }
  return tables;
}

bool CanThrow() {
  try {
    throw 1;
  } catch (int) {
    return true;
  }
}

class UnwindRegistryTest : public testing::TestWithParam<Registrations> {};

// Single registrations are not meant for libgcc 12's list, but are found there.
INSTANTIATE_TEST_SUITE_P(Registrations, UnwindRegistryTest,
                         testing::Values(Registrations::kOfProcess, Registrations::kGroups,
                                         Registrations::kSingle));

TEST_P(UnwindRegistryTest, FindsEachInWhateverOrderTheyCome) {
  std::vector<Table> tables = Tables(500, /*size=*/1000);
  std::vector<const Table*> order;
  for (const Table& table : tables) order.push_back(&table);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  const std::shared_ptr<UnwindRegistry> registry = MakeRegistry(GetParam());
  for (size_t i = 0; i < order.size(); ++i) {
    registry->Register(order[i]->unwind());
    if (i % 7 == 0) {
      for (size_t j = 0; j <= i; ++j) ASSERT_TRUE(order[j]->IsFound()) << i << ", " << j;
    }
  }
}

TEST_P(UnwindRegistryTest, FindsWhatIsLeftAndWhatComesInItsPlace) {
  const std::vector<Table> tables = Tables(400, /*size=*/2000);
  std::vector<bool> is_registered(tables.size());
  std::mt19937 random(2);
  const std::shared_ptr<UnwindRegistry> registry = MakeRegistry(GetParam());
  for (int round = 0; round < 300; ++round) {
    std::vector<UnwindTable> withdrawn;
    std::vector<size_t> some(tables.size());
    std::iota(some.begin(), some.end(), 0);
    std::shuffle(some.begin(), some.end(), random);
    some.resize(10);
    for (size_t which : some) {
      if (!is_registered[which]) {
        registry->Register(tables[which].unwind());
      } else {
        withdrawn.push_back(tables[which].unwind());
      }
      is_registered[which] = !is_registered[which];
    }
    registry->Withdraw(withdrawn);
    for (size_t i = 0; i < tables.size(); ++i) {
      ASSERT_EQ(tables[i].IsFound(), is_registered[i]) << round << ", " << i;
    }
  }
}

TEST_P(UnwindRegistryTest, WithdrawsAllWhenDestroyed) {
  const std::vector<Table> tables = Tables(7);
  {
    const std::shared_ptr<UnwindRegistry> registry = MakeRegistry(GetParam());
    for (const Table& table : tables) registry->Register(table.unwind());
    EXPECT_TRUE(CanThrow());
  }
  for (const Table& table : tables) EXPECT_FALSE(table.IsFound());
  EXPECT_TRUE(CanThrow());
}

// Half of such an address is zero.
TEST_P(UnwindRegistryTest, ForgetsATableAtAMultipleOf4GiB) {
  constexpr uintptr_t kAddress = uintptr_t{1} << 42;
  void* memory = mmap(reinterpret_cast<void*>(kAddress), sizeof(Table), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED || reinterpret_cast<uintptr_t>(memory) != kAddress) {
    GTEST_SKIP() << "somebody has the memory";
  }
  auto* table = new (memory) Table(Tables(1)[0]);
  for (bool is_withdrawn : {true, false}) {
    const std::shared_ptr<UnwindRegistry> registry = MakeRegistry(GetParam());
    registry->Register(table->unwind());
    if (is_withdrawn) registry->Withdraw({table->unwind()});
  }
  ASSERT_EQ(munmap(memory, sizeof(Table)), 0);
  EXPECT_TRUE(CanThrow());
}

TEST(UnwindRegistryGroupsTest, ThereAreNeverManyGroups) {
  // 40 MB of code.
  const std::vector<Table> tables = Tables(10000, /*size=*/4000);
  const std::shared_ptr<UnwindRegistry> registry = MakeRegistry(Registrations::kGroups);
  for (const Table& table : tables) {
    registry->Register(table.unwind());
    ASSERT_LE(registry->registration_count(), UnwindGroups::kMostGroups);
  }
  EXPECT_GT(registry->registration_count(), UnwindGroups::kMostGroups / 4);
  for (const Table& table : tables) ASSERT_TRUE(table.IsFound());
}

TEST(UnwindRegistryGroupsTest, SingleTablesAreRegisteredEach) {
  const std::vector<Table> tables = Tables(5);
  const std::shared_ptr<UnwindRegistry> registry = MakeRegistry(Registrations::kSingle);
  for (const Table& table : tables) registry->Register(table.unwind());
  EXPECT_EQ(registry->registration_count(), 5u);
  registry->Withdraw({tables[0].unwind(), tables[3].unwind()});
  EXPECT_EQ(registry->registration_count(), 3u);
}

// LLVM's libunwind, which need not be there, takes entries and not tables.
TEST(UnwindRegistryLoadedTest, AnUnwinderThatIsLoadedLaterGetsWhatIsRegistered) {
  const std::vector<Table> tables = Tables(3);
  UnwindRegistry registry;
  registry.Register(tables[0].unwind());
  registry.Register(tables[1].unwind());
  void* library = dlopen("libunwind.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << dlerror();
  auto* find = reinterpret_cast<const void* (*)(void*, void*)>(dlsym(library, "_Unwind_Find_FDE"));
  ASSERT_NE(find, nullptr);
  const auto is_found = [&](const Table& table) {
    void* bases[3] = {};
    return find(reinterpret_cast<void*>(table.begin + table.size - 1), bases) == &table.fde_length;
  };
  registry.FindUnwinders();
  registry.Withdraw({tables[1].unwind()});
  registry.Register(tables[2].unwind());
  EXPECT_TRUE(is_found(tables[0]));
  EXPECT_FALSE(is_found(tables[1]));
  EXPECT_TRUE(is_found(tables[2]));
  // libgcc's are still complete.
  EXPECT_TRUE(tables[0].IsFound());
  EXPECT_FALSE(tables[1].IsFound());
  EXPECT_TRUE(tables[2].IsFound());
  dlclose(library);
}

}  // namespace
}  // namespace firstcall
