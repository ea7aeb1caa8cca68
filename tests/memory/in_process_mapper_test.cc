#include "memory/in_process_mapper.h"

#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;

constexpr ExecutorAddress kAnywhere;

std::vector<int>& Calls() {
  static auto* const calls = new std::vector<int>();
  return *calls;
}

ExecutorAction Note(int* what) {
  void (*note)(void*) = [](void* argument) { Calls().push_back(*static_cast<int*>(argument)); };
  return {ExecutorAddress::Of(reinterpret_cast<const void*>(note)), ExecutorAddress::Of(what)};
}

class InProcessMapperTest : public testing::Test {
 protected:
  void SetUp() override { Calls().clear(); }
  InProcessMapper mapper_;
  const size_t page_ = mapper_.page_size();
  int one_ = 1, two_ = 2, three_ = 3;
};

TEST_F(InProcessMapperTest, WhatIsWrittenIsSeenWhereItRuns) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_.Reserve(3 * page_, kAnywhere));
  ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written,
                       mapper_.Initialize(slab, {{{0, page_}, Protection::kReadExecute},
                                                 {{page_, page_}, Protection::kRead},
                                                 {{2 * page_, page_}, Protection::kReadWrite}}));
  for (size_t i = 0; i < 3; ++i) {
    const char* seen = (slab.run + i * page_).InThisProcess<const char*>();
    EXPECT_EQ(std::string(seen, page_), std::string(page_, '\0'));
    std::memcpy(written[i], "text", 4);
    EXPECT_EQ(std::string(seen, 4), "text");
  }
  EXPECT_THAT(mapper_.Release(slab), IsOk());
}

TEST_F(InProcessMapperTest, ActionsRunInOrderAndInReverse) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_.Reserve(page_, kAnywhere));
  ASSERT_OK_AND_ASSIGN(
      PageMapper::AllocationId first,
      mapper_.Finalize(slab, {{}, {Note(&one_), Note(&two_)}, {Note(&one_), Note(&two_)}}));
  ASSERT_OK_AND_ASSIGN(PageMapper::AllocationId second,
                       mapper_.Finalize(slab, {{}, {}, {Note(&three_)}}));
  EXPECT_THAT(Calls(), ElementsAre(1, 2));
  ASSERT_THAT(mapper_.Deallocate({first, second}), IsOk());
  EXPECT_THAT(Calls(), ElementsAre(1, 2, 3, 2, 1));
  ASSERT_THAT(mapper_.Release(slab), IsOk());
  EXPECT_THAT(Calls(), ElementsAre(1, 2, 3, 2, 1));
}

TEST_F(InProcessMapperTest, ReleaseDeallocatesWhatIsLeftOfThatSlab) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_.Reserve(page_, kAnywhere));
  ASSERT_OK_AND_ASSIGN(Slab other, mapper_.Reserve(page_, kAnywhere));
  ASSERT_THAT(mapper_.Finalize(slab, {{}, {}, {Note(&one_)}}), IsOk());
  ASSERT_THAT(mapper_.Finalize(other, {{}, {}, {Note(&two_)}}), IsOk());
  ASSERT_THAT(mapper_.Release(slab), IsOk());
  EXPECT_THAT(Calls(), ElementsAre(1));
  EXPECT_THAT(mapper_.Release(slab), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(InProcessMapperTest, DiscardedPagesAreZeros) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_.Reserve(2 * page_, kAnywhere));
  const SlabSegment segments[] = {{{0, page_}, Protection::kRead},
                                  {{page_, page_}, Protection::kReadWrite}};
  ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written, mapper_.Initialize(slab, segments));
  for (size_t i = 0; i < 2; ++i) {
    std::memset(written[i], 'x', page_);
    ASSERT_THAT(mapper_.Discard(slab, segments[i]), IsOk());
    EXPECT_EQ(std::string((slab.run + i * page_).InThisProcess<const char*>(), page_),
              std::string(page_, '\0'));
  }
}

// The system itself would put it far away, with other mappings.
TEST_F(InProcessMapperTest, ReservesNearAnAddress) {
  for (const uint64_t address : {uint64_t{1} << 32, uint64_t{1} << 40, uint64_t{3} << 42}) {
    const ExecutorAddress near(address);
    ASSERT_OK_AND_ASSIGN(Slab first, mapper_.Reserve(size_t{256} << 20, near));
    ASSERT_OK_AND_ASSIGN(Slab second, mapper_.Reserve(page_, near));
    EXPECT_LT(std::abs(first.run - near), kReach);
    EXPECT_LT(std::abs(second.run - near), kReach);
  }
}

TEST_F(InProcessMapperTest, MoreThanThereIsIsAnError) {
  EXPECT_THAT(
      mapper_.Reserve(size_t{1} << 60, kAnywhere),
      StatusIs(absl::StatusCode::kResourceExhausted,
               testing::HasSubstr("code memory: reserving address space: Cannot allocate memory")));
}

}  // namespace
}  // namespace firstcall
