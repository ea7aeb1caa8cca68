#include "memory/live_allocations.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Addresses only; nothing is there.
const ExecutorAddress kSlab(0x10000);
const ExecutorAddress kOtherSlab(0x20000);

class LiveAllocationsTest : public testing::Test {
 protected:
  struct Note {
    LiveAllocationsTest* test;
    std::string text;
  };

  // An action that appends `note.text` to `ran_`.
  static ExecutorAction Run(Note& note) {
    void (*function)(void*) = [](void* argument) {
      const auto* run = static_cast<const Note*>(argument);
      run->test->ran_.push_back(run->text);
    };
    return {ExecutorAddress::Of(reinterpret_cast<const void*>(function)),
            ExecutorAddress::Of(&note)};
  }

  LiveAllocations allocations_;
  std::vector<std::string> ran_;
  Note a_{this, "a"}, b_{this, "b"}, c_{this, "c"};
};

TEST_F(LiveAllocationsTest, LastAllocationAndLastActionComeFirst) {
  const uint64_t first = allocations_.Add(kSlab, {Run(a_), Run(b_)});
  const uint64_t second = allocations_.Add(kSlab, {Run(c_)});
  EXPECT_THAT(ran_, IsEmpty());
  allocations_.Deallocate({first, second});
  EXPECT_THAT(ran_, ElementsAre("c", "b", "a"));
}

TEST_F(LiveAllocationsTest, ActionsRunOnce) {
  const uint64_t id = allocations_.Add(kSlab, {Run(a_)});
  allocations_.Deallocate({id, id});
  allocations_.Deallocate({id});
  allocations_.DeallocateAll(kSlab);
  EXPECT_THAT(ran_, ElementsAre("a"));
}

TEST_F(LiveAllocationsTest, UnknownOnesAreIgnored) {
  const uint64_t id = allocations_.Add(kSlab, {Run(a_)});
  allocations_.Deallocate({id + 1, id + 1000});
  EXPECT_THAT(ran_, IsEmpty());
}

TEST_F(LiveAllocationsTest, OneWithNothingToDoHasAnIdOfItsOwn) {
  const uint64_t first = allocations_.Add(kSlab, {});
  const uint64_t second = allocations_.Add(kSlab, {Run(a_)});
  EXPECT_NE(first, second);
  allocations_.Deallocate({first});
  EXPECT_THAT(ran_, IsEmpty());
}

TEST_F(LiveAllocationsTest, AllOfASlabAreThoseThatAreLeft) {
  allocations_.Add(kSlab, {Run(a_)});
  allocations_.Add(kOtherSlab, {Run(b_)});
  const uint64_t gone = allocations_.Add(kSlab, {Run(b_)});
  allocations_.Add(kSlab, {Run(c_)});
  allocations_.Deallocate({gone});
  ran_.clear();
  allocations_.DeallocateAll(kSlab);
  EXPECT_THAT(ran_, ElementsAre("c", "a"));
}

// An action may use the process's memory, and so come back to its mapper.
TEST_F(LiveAllocationsTest, ActionMayAddAndDeallocate) {
  struct Nested {
    LiveAllocations& allocations;
    ExecutorAction action;
  } nested{allocations_, Run(a_)};
  void (*function)(void*) = [](void* argument) {
    auto* both = static_cast<Nested*>(argument);
    both->allocations.Deallocate({both->allocations.Add(kSlab, {both->action})});
  };
  const ExecutorAction action{ExecutorAddress::Of(reinterpret_cast<const void*>(function)),
                              ExecutorAddress::Of(&nested)};
  allocations_.Deallocate({allocations_.Add(kSlab, {action})});
  EXPECT_THAT(ran_, ElementsAre("a"));
}

}  // namespace
}  // namespace firstcall
