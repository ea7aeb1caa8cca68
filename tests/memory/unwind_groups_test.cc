// How groups use libgcc's interface, with functions in the place of libgcc's. That libgcc finds
// what is registered is shown by unwind_registry_test.

#include "memory/unwind_groups.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/executor_address.h"

namespace firstcall {
namespace {

using ::testing::Each;

// What libgcc writes to a registration, and reads after it has unlocked its mutex.
constexpr uint64_t kWritten = 0x1234;

std::map<const void*, uint64_t*>& Present() {
  static auto* const present = new std::map<const void*, uint64_t*>();
  return *present;
}
std::vector<const uint64_t*>& Withdrawn() {
  static auto* const withdrawn = new std::vector<const uint64_t*>();
  return *withdrawn;
}

constexpr UnwindGroups::Functions kFunctions = {[](void* tables, void* object) {
                                                  // Six words are libgcc's.
                                                  for (int i = 0; i < 6; ++i)
                                                    static_cast<uint64_t*>(object)[i] = kWritten;
                                                  Present()[tables] =
                                                      static_cast<uint64_t*>(object);
                                                },
                                                [](const void* tables) -> void* {
                                                  uint64_t* object = Present().at(tables);
                                                  Present().erase(tables);
                                                  Withdrawn().push_back(object);
                                                  return object;
                                                }};

UnwindTable TableAt(uint64_t code) {
  static constexpr uint32_t kEmpty = 0;
  return {ExecutorAddress::Of(&kEmpty), ExecutorAddress(code)};
}

class UnwindGroupsTest : public testing::Test {
 protected:
  void SetUp() override {
    Present().clear();
    Withdrawn().clear();
  }
};

// A thread that has found an entry reads the registration after another thread has withdrawn it.
TEST_F(UnwindGroupsTest, ARegistrationCanBeReadAfterItWasWithdrawn) {
  UnwindGroups groups(kFunctions);
  for (uint64_t i = 0; i < 1000; ++i) groups.Register(TableAt(0x10000 + i));
  EXPECT_EQ(Withdrawn().size(), 999u);
  groups.Withdraw({TableAt(0x10000)});
  EXPECT_EQ(Withdrawn().size(), 1000u);
  EXPECT_EQ(Present().size(), 0u);
  for (const uint64_t* object : Withdrawn()) {
    EXPECT_THAT(std::vector<uint64_t>(object, object + 6), Each(kWritten));
  }
}

TEST_F(UnwindGroupsTest, TheMemoryOfOneIsNotThatOfAnother) {
  UnwindGroups groups(kFunctions);
  for (uint64_t i = 0; i < 1000; ++i) groups.Register(TableAt(0x10000 + i));
  std::vector<const uint64_t*> objects = Withdrawn();
  std::sort(objects.begin(), objects.end());
  EXPECT_EQ(std::unique(objects.begin(), objects.end()), objects.end());
}

// The other direction would leave a gap in which no table of the group is found.
TEST_F(UnwindGroupsTest, AGroupIsWithdrawnAfterItsReplacementIsRegistered) {
  static size_t least_present;
  least_present = 2;
  const UnwindGroups::Functions functions = {kFunctions.register_table, [](const void* tables) {
                                               least_present =
                                                   std::min(least_present, Present().size());
                                               return kFunctions.deregister(tables);
                                             }};
  UnwindGroups groups(functions);
  for (uint64_t i = 0; i < 10; ++i) groups.Register(TableAt(0x10000 + i));
  EXPECT_EQ(least_present, 2u);
}

}  // namespace
}  // namespace firstcall
