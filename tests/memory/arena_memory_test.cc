#include "memory/arena_memory.h"

#include <cstdlib>
#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/in_process_mapper.h"
#include "tests/testing/boundary_mapper.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

constexpr size_t kSize = 64 << 10;

std::shared_ptr<ArenaMemory> Make(size_t budget = SIZE_MAX) {
  ArenaMemoryOptions options;
  options.sizes = {kSize, kSize, kSize};
  options.budget = budget;
  return ArenaMemory::Create(std::make_shared<InProcessMapper>(), options).value();
}

MemoryRequest Code(size_t size, ExecutorAddress near = ExecutorAddress()) {
  MemoryRequest request;
  request.segment = Segment::kCode;
  request.size = request.object.code = size;
  request.near = near;
  return request;
}

TEST(ArenaMemoryTest, ReservesAnotherArenaWhenOneIsFull) {
  std::shared_ptr<ArenaMemory> memory = Make();
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock block, memory->Allocate(Code(kSize / 4)));
    block.write[0] = 1;
    ASSERT_THAT(memory->Finalize({block}), IsOk());
  }
  EXPECT_GE(memory->usage().arenas, 25u);
  EXPECT_EQ(memory->usage().used.code, 25 * kSize);
}

TEST(ArenaMemoryTest, AnObjectLargerThanAnArenaGetsOneOfItsOwn) {
  std::shared_ptr<ArenaMemory> memory = Make();
  ASSERT_OK_AND_ASSIGN(MemoryBlock block, memory->Allocate(Code(10 * kSize)));
  EXPECT_EQ(memory->usage().arenas, 2u);
  block.write[10 * kSize - 1] = 1;
}

// Its own arena leaves no addresses between its parts that the object does not need.
TEST(ArenaMemoryTest, TheEndsOfALargeObjectReachEachOther) {
  constexpr size_t kLarge = size_t{2000} << 20;
  ArenaMemoryOptions options;
  options.sizes = {size_t{64} << 20, size_t{64} << 20, size_t{64} << 20};
  const std::shared_ptr<ArenaMemory> memory =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), options).value();
  MemoryRequest request = Code(100);
  request.object.data = kLarge;
  ASSERT_OK_AND_ASSIGN(const MemoryBlock code, memory->Allocate(request));
  request.segment = Segment::kData;
  request.size = kLarge;
  request.near = code.run;
  ASSERT_OK_AND_ASSIGN(const MemoryBlock data, memory->Allocate(request));
  EXPECT_LT(data.run + data.size - code.run, int64_t{1} << 31);
  // It is for nothing else.
  ASSERT_OK_AND_ASSIGN(MemoryBlock other, memory->Allocate(Code(16)));
  EXPECT_TRUE(memory->first().Contains(other.run));
}

// What may lie anywhere leaves room for what may not.
TEST(ArenaMemoryTest, AnObjectDoesNotFillTheFirstArena) {
  std::shared_ptr<ArenaMemory> memory = Make();
  ASSERT_OK_AND_ASSIGN(MemoryBlock far, memory->Allocate(Code(kSize * 3 / 4)));
  EXPECT_FALSE(memory->first().Contains(far.run));
  ASSERT_OK_AND_ASSIGN(MemoryBlock near, memory->Allocate(Code(kSize / 2, memory->near_first())));
  EXPECT_TRUE(memory->first().Contains(near.run));
}

// No code may lie around a multiple of 4 GiB, where this arena is put.
TEST(ArenaMemoryTest, ALargeObjectFitsBesideAMultipleOf4GiB) {
  ArenaMemoryOptions options;
  options.sizes = {kSize, kSize, kSize};
  const std::shared_ptr<ArenaMemory> memory =
      ArenaMemory::Create(std::make_shared<BoundaryMapper>(size_t{32} << 20), options).value();
  ASSERT_OK_AND_ASSIGN(MemoryBlock block, memory->Allocate(Code(size_t{40} << 20)));
  block.write[(size_t{40} << 20) - 1] = 1;
}

TEST(ArenaMemoryTest, NearMeansTheSameArena) {
  std::shared_ptr<ArenaMemory> memory = Make();
  MemoryRequest large = Code(2 * kSize);
  large.object.read_only = kSize;
  ASSERT_OK_AND_ASSIGN(MemoryBlock far, memory->Allocate(large));
  ASSERT_FALSE(memory->first().Contains(far.run));
  ASSERT_OK_AND_ASSIGN(MemoryBlock first, memory->Allocate(Code(16, memory->near_first())));
  EXPECT_TRUE(memory->first().Contains(first.run));
  MemoryRequest request = Code(16, far.run);
  request.segment = Segment::kReadOnly;
  ASSERT_OK_AND_ASSIGN(MemoryBlock near, memory->Allocate(request));
  EXPECT_FALSE(memory->first().Contains(near.run));
}

// What must be near the first arena goes beside it when that is full, and from everywhere there
// everything is within reach.
TEST(ArenaMemoryTest, BesideTheFirstArenaThereIsMoreRoom) {
  std::shared_ptr<ArenaMemory> memory = Make();
  std::vector<MemoryBlock> blocks;
  // Larger than a usual arena beside the first one. On AArch64 calls would not reach past it.
#if defined(__x86_64__)
  constexpr size_t kLarge = size_t{40} << 20;
#else
  constexpr size_t kLarge = kSize;
#endif
  for (const size_t size : {kSize, kSize, kLarge, size_t{16}}) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock block, memory->Allocate(Code(size, memory->near_first())));
    block.write[size - 1] = 1;
    blocks.push_back(block);
  }
  EXPECT_TRUE(memory->first().Contains(blocks[0].run));
  EXPECT_FALSE(memory->first().Contains(blocks[1].run));
  EXPECT_EQ(memory->usage().arenas, kLarge == kSize ? 2u : 3u);
  for (const MemoryBlock& from : blocks) {
    for (const MemoryBlock& to : blocks) {
      EXPECT_LT(std::abs(from.run + from.size - to.run), kReach);
    }
  }
  EXPECT_THAT(memory->Finalize(blocks), IsOk());
  EXPECT_THAT(memory->Allocate(Code(size_t{2100} << 20, memory->near_first())),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("no addresses are free within reach of 0x")));
  memory->Free(blocks);
  EXPECT_EQ(memory->usage().used.total(), 0u);
}

// Others have provided a part of an object: the rest must be within reach of that.
TEST(ArenaMemoryTest, NearWhatOthersProvidedIsWithinReach) {
  std::shared_ptr<ArenaMemory> memory = Make();
  static int of_others;
  const ExecutorAddress near = ExecutorAddress::Of(&of_others);
  ASSERT_OK_AND_ASSIGN(MemoryBlock block, memory->Allocate(Code(16, near)));
  EXPECT_LT(std::abs(block.run - near), int64_t{2000} << 20);
  ASSERT_THAT(memory->Allocate(Code(16, near)), IsOk());
  EXPECT_EQ(memory->usage().arenas, 2u);
  // It is for nothing else.
  ASSERT_OK_AND_ASSIGN(MemoryBlock other, memory->Allocate(Code(16)));
  EXPECT_TRUE(memory->first().Contains(other.run));
}

TEST(ArenaMemoryTest, BudgetCountsWhatIsHandedOut) {
  std::shared_ptr<ArenaMemory> memory = Make(/*budget=*/1000);
  ASSERT_OK_AND_ASSIGN(MemoryBlock block, memory->Allocate(Code(900)));
  EXPECT_THAT(memory->Allocate(Code(101)),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "code memory: 101 more bytes are over the budget (900 of 1000 bytes used)"));
  EXPECT_THAT(memory->Allocate(Code(100)), IsOk());
  memory->Free({block});
  EXPECT_THAT(memory->Allocate(Code(900)), IsOk());
}

}  // namespace
}  // namespace firstcall
