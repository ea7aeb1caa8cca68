// What every PageMapper promises. The executing process is this one, so that the tests can look.

#include "memory/page_mapper.h"

#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/in_process_mapper.h"
#include "memory/instruction_cache.h"
#include "services/executor/shared_memory_mapper.h"
#include "tests/memory/machine_code.h"
#include "tests/memory/memory_maps.h"
#include "tests/services/executor/local_connection.h"
#include "tests/testing/host.h"
#include "tests/testing/limits.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;

std::vector<int>& Calls() {
  static auto* const calls = new std::vector<int>();
  return *calls;
}

ExecutorAction Note(int* what) {
  void (*note)(void*) = [](void* argument) { Calls().push_back(*static_cast<int*>(argument)); };
  return {ExecutorAddress::Of(reinterpret_cast<const void*>(note)), ExecutorAddress::Of(what)};
}

std::unique_ptr<PageMapper> InProcess() { return std::make_unique<InProcessMapper>(); }

std::unique_ptr<PageMapper> Anonymous() {
  return std::make_unique<InProcessMapper>(InProcessMapper::Pages::kAnonymous);
}

std::unique_ptr<PageMapper> SharedMemory() {
  return *SharedMemoryMapper::Create(std::make_shared<LocalConnection>());
}

std::string TextAt(ExecutorAddress address, size_t size) {
  return {address.InThisProcess<const char*>(), size};
}

struct Kind {
  const char* name;
  std::unique_ptr<PageMapper> (*create)();
  rlim_t largest_file = 0;  // Zero: as large as usual.
};

constexpr ExecutorAddress kAnywhere;

class PageMapperTest : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    Calls().clear();
    const rlim_t largest_file = GetParam().largest_file;
    if (IsEmulated() && (largest_file > 0 || GetParam().create == &Anonymous)) {
      GTEST_SKIP() << "the emulator cannot map anonymous pages twice";
    }
    if (largest_file > 0) limit_.emplace(largest_file);
  }

  // Three pages: executed, read, written.
  std::vector<SlabSegment> Pages() const {
    return {{{0, page_}, Protection::kReadExecute},
            {{page_, page_}, Protection::kRead},
            {{2 * page_, page_}, Protection::kReadWrite}};
  }

  const std::unique_ptr<PageMapper> mapper_ = GetParam().create();
  const size_t page_ = mapper_->page_size();
  int one_ = 1, two_ = 2, three_ = 3;

 private:
  std::optional<testing::FileSizeLimit> limit_;
};

INSTANTIATE_TEST_SUITE_P(All, PageMapperTest,
                         ::testing::Values(Kind{"InProcess", &InProcess},
                                           Kind{"InProcessWithSmallFiles", &InProcess, 1},
                                           Kind{"Anonymous", &Anonymous},
                                           Kind{"SharedMemory", &SharedMemory}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(PageMapperTest, WhatIsWrittenIsSeenWhereItRuns) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(3 * page_, kAnywhere));
  ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written, mapper_->Initialize(slab, Pages()));
  for (uint8_t* page : written) std::memcpy(page, "text", 4);
  ASSERT_THAT(mapper_->Finalize(slab, {Pages(), {}, {}}), IsOk());
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(TextAt(slab.run + i * page_, page_), "text" + std::string(page_ - 4, '\0'));
    std::memcpy(written[i], "later", 5);
    EXPECT_EQ(TextAt(slab.run + i * page_, 5), "later");
  }
  EXPECT_THAT(mapper_->Release(slab), IsOk());
}

TEST_P(PageMapperTest, PagesHaveTheProtectionTheyWereFinalizedWith) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(6 * page_, kAnywhere));
  // With others between them: the emulator tells of neighbours as one, with the first one's rights.
  const std::vector<SlabSegment> pages = {{{0, page_}, Protection::kReadExecute},
                                          {{2 * page_, page_}, Protection::kRead},
                                          {{4 * page_, page_}, Protection::kReadWrite}};
  ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written, mapper_->Initialize(slab, pages));
  // A few bytes in the middle of each.
  std::vector<SlabSegment> few = pages;
  for (SlabSegment& segment : few) segment.range = {segment.range.offset + 100, 10};
  ASSERT_THAT(mapper_->Finalize(slab, {few, {}, {}}), IsOk());
  EXPECT_EQ(PermissionsAt(getpid(), slab.run), "r-x");
  EXPECT_EQ(PermissionsAt(getpid(), slab.run + 2 * page_), "r--");
  EXPECT_EQ(PermissionsAt(getpid(), slab.run + 4 * page_), "rw-");
  for (size_t i : {1, 3, 5}) EXPECT_EQ(PermissionsAt(getpid(), slab.run + i * page_), "---");
  for (uint8_t* page : written) {
    EXPECT_EQ(PermissionsAt(getpid(), ExecutorAddress::Of(page)), "rw-");
  }
  EXPECT_EQ(WritableAndExecutable(getpid()), 0);
}

TEST_P(PageMapperTest, CodeRunsAndTheNextOneComesToTheSamePage) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(page_, kAnywhere));
  const SlabSegment page{{0, page_}, Protection::kReadExecute};
  ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written, mapper_->Initialize(slab, {page}));
  size_t offset = 0;
  for (const std::string& code : {kReturns42, kReturns43}) {
    std::memcpy(written[0] + offset, code.data(), code.size());
    ASSERT_THAT(
        mapper_->Finalize(slab, {{{{offset, code.size()}, Protection::kReadExecute}}, {}, {}}),
        IsOk());
    offset += 64;
  }
  EXPECT_EQ(slab.run.InThisProcess<int (*)()>()(), 42);
  EXPECT_EQ((slab.run + 64).InThisProcess<int (*)()>()(), 43);
  // Other code in the place of what has run.
  if (!NoticesRewrittenCode()) {
    GTEST_SKIP() << "the emulator goes on with what it translated before the code was replaced";
  }
  std::memcpy(written[0], kReturns43.data(), kReturns43.size());
  ASSERT_THAT(mapper_->Finalize(slab, {{page}, {}, {}}), IsOk());
  ASSERT_THAT(mapper_->SynchronizeInstructions(), IsOk());
  EXPECT_EQ(slab.run.InThisProcess<int (*)()>()(), 43);
}

TEST_P(PageMapperTest, PagesInitializedAgainAreNewOnesAtTheSameAddresses) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(2 * page_, kAnywhere));
  const SlabSegment both{{0, 2 * page_}, Protection::kRead};
  ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written, mapper_->Initialize(slab, {both}));
  std::memset(written[0], 'x', 2 * page_);
  ASSERT_THAT(mapper_->Finalize(slab, {{both}, {}, {}}), IsOk());
  const SlabSegment second{{page_, page_}, Protection::kRead};
  ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> again, mapper_->Initialize(slab, {second}));
  EXPECT_EQ(again[0], written[0] + page_);
  ASSERT_THAT(mapper_->Finalize(slab, {{second}, {}, {}}), IsOk());
  EXPECT_EQ(TextAt(slab.run, 2 * page_), std::string(page_, 'x') + std::string(page_, '\0'));
}

TEST_P(PageMapperTest, ActionsRunInOrderAndInReverse) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(page_, kAnywhere));
  ASSERT_OK_AND_ASSIGN(
      PageMapper::AllocationId first,
      mapper_->Finalize(slab, {{}, {Note(&one_), Note(&two_)}, {Note(&one_), Note(&two_)}}));
  ASSERT_OK_AND_ASSIGN(PageMapper::AllocationId second,
                       mapper_->Finalize(slab, {{}, {}, {Note(&three_)}}));
  EXPECT_THAT(Calls(), ElementsAre(1, 2));
  ASSERT_THAT(mapper_->Deallocate({first, second}), IsOk());
  EXPECT_THAT(Calls(), ElementsAre(1, 2, 3, 2, 1));
  ASSERT_THAT(mapper_->Release(slab), IsOk());
  EXPECT_THAT(Calls(), ElementsAre(1, 2, 3, 2, 1));
}

TEST_P(PageMapperTest, ReleaseDeallocatesWhatIsLeftOfThatSlab) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(page_, kAnywhere));
  ASSERT_OK_AND_ASSIGN(Slab other, mapper_->Reserve(page_, kAnywhere));
  ASSERT_THAT(mapper_->Finalize(slab, {{}, {}, {Note(&one_)}}), IsOk());
  ASSERT_THAT(mapper_->Finalize(other, {{}, {}, {Note(&two_)}}), IsOk());
  ASSERT_THAT(mapper_->Release(slab), IsOk());
  EXPECT_THAT(Calls(), ElementsAre(1));
  EXPECT_THAT(mapper_->Release(slab), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_P(PageMapperTest, DiscardedPagesAreZeros) {
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(3 * page_, kAnywhere));
  ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written, mapper_->Initialize(slab, Pages()));
  ASSERT_THAT(mapper_->Finalize(slab, {Pages(), {}, {}}), IsOk());
  for (size_t i = 0; i < 3; ++i) {
    std::memset(written[i], 'x', page_);
    ASSERT_THAT(mapper_->Discard(slab, Pages()[i]), IsOk());
  }
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not carry out MADV_REMOVE";
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(TextAt(slab.run + i * page_, page_), std::string(page_, '\0'));
  }
}

// The system itself would put it far away from the program, with other mappings.
TEST_P(PageMapperTest, ReservesNearAnAddress) {
  static int of_the_program;
  const ExecutorAddress near = ExecutorAddress::Of(&of_the_program);
  for (const size_t size : {size_t{256} << 20, page_, size_t{64} << 20}) {
    ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(size, near));
    EXPECT_LT(std::abs(slab.run - near), kReach);
    EXPECT_LT(std::abs(slab.run + size - near), kReach);
  }
}

TEST(InProcessMapperTest, WhatIsInFrontOfASlabCanBeRead) {
  InProcessMapper mapper;
  for (int i = 0; i < 10; ++i) {  // Also where another slab is in front.
    ASSERT_OK_AND_ASSIGN(Slab slab, mapper.Reserve(mapper.page_size(), kAnywhere));
    EXPECT_EQ(TextAt(ExecutorAddress(slab.run.value() - 8), 8), std::string(8, '\0'));
  }
}

TEST_P(PageMapperTest, MoreThanThereIsIsAnError) {
  EXPECT_THAT(mapper_->Reserve(size_t{1} << 60, kAnywhere),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       ::testing::HasSubstr(
                           "code memory: reserving address space: Cannot allocate memory")));
}

TEST_P(PageMapperTest, GivesEverythingBack) {
  // Whatever is allocated on the way comes once.
  for (size_t before = 0, round = 0; round < 3; ++round) {
    ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(64 * page_, kAnywhere));
    ASSERT_THAT(mapper_->Initialize(slab, Pages()), IsOk());
    ASSERT_THAT(mapper_->Finalize(slab, {Pages(), {}, {}}), IsOk());
    ASSERT_THAT(mapper_->Release(slab), IsOk());
    EXPECT_EQ(PermissionsAt(getpid(), slab.run), "");
    const size_t after = MemoryMapsOf(getpid()).size();
    if (round == 2) {
      EXPECT_EQ(after, before);
    }
    before = after;
  }
}

TEST_P(PageMapperTest, ThreadsWorkAtOnce) {
  const auto work = [this] {
    for (int i = 0; i < 50; ++i) {
      ASSERT_OK_AND_ASSIGN(Slab slab, mapper_->Reserve(3 * page_, kAnywhere));
      ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written, mapper_->Initialize(slab, Pages()));
      std::memcpy(written[0], kReturns42.data(), kReturns42.size());
      ASSERT_THAT(mapper_->Finalize(slab, {Pages(), {}, {}}), IsOk());
      ASSERT_THAT(mapper_->SynchronizeInstructions(), IsOk());
      ASSERT_EQ(slab.run.InThisProcess<int (*)()>()(), 42);
      ASSERT_THAT(mapper_->Release(slab), IsOk());
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace firstcall
