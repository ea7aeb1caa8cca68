#include "memory/arena.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/executor_address.h"
#include "memory/instruction_cache.h"
#include "memory/unwindable_code.h"
#include "tests/memory/memory_maps.h"
#include "tests/testing/boundary_mapper.h"
#include "tests/testing/forwarding_mapper.h"
#include "tests/testing/host.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

const ArenaSizes kSmall = {1 << 20, 1 << 20, 8 << 20};

// The permissions of the mapping that holds `address`, as "r-xs", or "" if there is none.
std::string PermissionsAt(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    unsigned long begin, end;
    char permissions[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, permissions) == 3 &&
        begin <= address && address < end) {
      return permissions;
    }
  }
  return "";
}

TEST(ArenaTest, BytesWrittenAreSeenWhereTheyRun) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(segment, 5, 1));
    std::memcpy(block.write, "bytes", 5);
    EXPECT_EQ(std::string(block.run.InThisProcess<const char*>(), 5), "bytes");
  }
}

TEST(ArenaTest, NothingIsWritableAndExecutable) {
  if (IsEmulated()) {
    GTEST_SKIP()
        << "the emulator tells of neighbouring mappings as one, with the first one's rights";
  }
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_OK_AND_ASSIGN(MemoryBlock code, arena->Allocate(Segment::kCode, 64, 16));
  ASSERT_OK_AND_ASSIGN(MemoryBlock constant, arena->Allocate(Segment::kReadOnly, 64, 16));
  ASSERT_OK_AND_ASSIGN(MemoryBlock data, arena->Allocate(Segment::kData, 64, 16));
  EXPECT_EQ(PermissionsAt(code.run.value()), "r-xp");
  EXPECT_EQ(PermissionsAt(ExecutorAddress::Of(code.write).value()), "rw-s");
  EXPECT_EQ(PermissionsAt(constant.run.value()), "r--s");
  EXPECT_EQ(PermissionsAt(data.run.value()), "rw-p");
  std::ifstream maps("/proc/self/maps");
  const std::string all((std::istreambuf_iterator<char>(maps)), std::istreambuf_iterator<char>());
  EXPECT_THAT(all, Not(HasSubstr(" rwx")));
}

TEST(ArenaTest, AlignsAsAsked) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  for (size_t alignment : {1, 2, 8, 64, 4096}) {
    for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
      ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(segment, 3, alignment));
      EXPECT_EQ(block.run.value() % alignment, 0u);
    }
  }
}

TEST(ArenaTest, BlocksDoNotOverlap) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_OK_AND_ASSIGN(MemoryBlock first, arena->Allocate(Segment::kCode, 10, 1));
  ASSERT_OK_AND_ASSIGN(MemoryBlock second, arena->Allocate(Segment::kCode, 10, 1));
  EXPECT_EQ(second.run - first.run, 10);
}

TEST(ArenaTest, FullSegmentIsAnErrorThatChangesNothing) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_THAT(arena->Allocate(Segment::kCode, 100, 1), IsOk());
  EXPECT_THAT(arena->Allocate(Segment::kCode, 1 << 20, 1),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "code memory: 1048576 bytes do not fit in what is left of an arena segment "
                       "(100 of 1048576 bytes used)"));
  EXPECT_EQ(arena->usage().used.code, 100u);
  EXPECT_THAT(arena->Allocate(Segment::kCode, (1 << 20) - 100, 1), IsOk());
}

TEST(ArenaTest, DataBeyondTheFirstStepIsWritable) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(Segment::kData, 8 << 20, 1));
  block.write[(8 << 20) - 1] = 7;
  EXPECT_EQ(block.run.InThisProcess<const uint8_t*>()[(8 << 20) - 1], 7);
}

TEST(ArenaTest, ContainsItsRangeOnly) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(Segment::kCode, 1, 1));
  EXPECT_TRUE(arena->Contains(block.run));
  EXPECT_TRUE(arena->Contains(block.run + ((10 << 20) - 1)));
  EXPECT_FALSE(arena->Contains(block.run + (10 << 20)));
  EXPECT_FALSE(arena->Contains(ExecutorAddress(block.run.value() - 1)));
  EXPECT_FALSE(arena->Contains(ExecutorAddress()));
}

// Parent and child allocate the same bytes next; neither may see what the other writes there.
TEST(ArenaTest, AlignsBeyondAPage) {
  constexpr size_t kAlignment = 4 << 20;
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena,
                       Arena::Create({3 * kAlignment, 3 * kAlignment, 3 * kAlignment}));
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock first, arena->Allocate(segment, 1, 1));
    ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(segment, 1, kAlignment));
    EXPECT_EQ(block.run.value() % kAlignment, 0u);
    EXPECT_GT(block.run - first.run, 0);
  }
}

TEST(ArenaTest, CallsReachCodeUnlessThereIsTooMuch) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_OK_AND_ASSIGN(MemoryBlock code, arena->Allocate(Segment::kCode, 64, 16));
  ASSERT_OK_AND_ASSIGN(MemoryBlock data, arena->Allocate(Segment::kData, 64, 16));
  EXPECT_TRUE(arena->IsReachedByCalls(code.run));
  EXPECT_FALSE(arena->IsReachedByCalls(data.run));
  EXPECT_FALSE(arena->IsReachedByCalls(ExecutorAddress::Of(arena.get())));
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> large,
                       Arena::Create({size_t{3} << 30, 1 << 20, 1 << 20}));
  ASSERT_OK_AND_ASSIGN(MemoryBlock far, large->Allocate(Segment::kCode, 64, 16));
  EXPECT_FALSE(large->IsReachedByCalls(far.run));
}

TEST(ArenaTest, CallsReachAllCodeOfTheDefaultSizes) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(ArenaSizes::Default()));
  ASSERT_OK_AND_ASSIGN(MemoryBlock code, arena->Allocate(Segment::kCode, 64, 16));
  EXPECT_TRUE(arena->IsReachedByCalls(code.run));
}

TEST(ArenaTest, ForkedChildGetsPagesOfItsOwn) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_OK_AND_ASSIGN(MemoryBlock before, arena->Allocate(Segment::kCode, 6, 1));
  std::memcpy(before.write, "before", 6);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool good = true;
    for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
      absl::StatusOr<MemoryBlock> block = arena->Allocate(segment, 8192, 1);
      if (!block.ok()) _exit(1);
      std::memset(block->write, 'c', 8192);
      good = good && block->run.InThisProcess<const char*>()[8191] == 'c';
    }
    good = good && std::memcmp(before.run.InThisProcess<const char*>(), "before", 6) == 0;
    _exit(good ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(segment, 16384, 1));
    const std::string seen(block.run.InThisProcess<const char*>(), 16384);
    EXPECT_EQ(seen, std::string(16384, '\0'));
  }
  EXPECT_EQ(std::string(before.run.InThisProcess<const char*>(), 6), "before");
}

TEST(ArenaTest, AlignsBeyondPages) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_THAT(arena->Allocate(Segment::kReadOnly, 1, 1), IsOk());
  ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(Segment::kReadOnly, 8, 256 << 10));
  EXPECT_EQ(block.run.value() % (256 << 10), 0u);
}

TEST(ArenaTest, FreedBytesAreUsedAgainAndZeroed) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock first, arena->Allocate(segment, 100, 16));
    ASSERT_OK_AND_ASSIGN(MemoryBlock second, arena->Allocate(segment, 100, 16));
    std::memset(first.write, 'x', 100);
    std::memset(second.write, 'y', 100);
    arena->Free(first);
    ASSERT_OK_AND_ASSIGN(MemoryBlock third, arena->Allocate(segment, 96, 16));
    EXPECT_EQ(third.run == first.run, segment != Segment::kCode || NoticesRewrittenCode());
    EXPECT_EQ(std::string(third.run.InThisProcess<const char*>(), 96), std::string(96, '\0'));
    EXPECT_EQ(std::string(second.run.InThisProcess<const char*>(), 100), std::string(100, 'y'));
  }
}

class SynchronizationCounter final : public ForwardingMapper {
 public:
  absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress near) override {
    return mapper_.Reserve(size, near);
  }
  absl::Status SynchronizeInstructions() override {
    ++count;
    return mapper_.SynchronizeInstructions();
  }

  int count = 0;
};

// Whatever is finalized between its allocation and the end of its writing.
TEST(ArenaTest, CodeWhereCodeWasIsSynchronizedWhenItIsWritten) {
  if (!NoticesRewrittenCode()) GTEST_SKIP() << "code memory is not used again here";
  const auto mapper = std::make_shared<SynchronizationCounter>();
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(mapper, kSmall));
  ASSERT_OK_AND_ASSIGN(const MemoryBlock old, arena->Allocate(Segment::kCode, 100, 16));
  ASSERT_THAT(arena->Finalize({old}), IsOk());
  arena->Free(old);
  ASSERT_OK_AND_ASSIGN(const MemoryBlock rewritten, arena->Allocate(Segment::kCode, 100, 16));
  ASSERT_EQ(rewritten.run, old.run);
  ASSERT_OK_AND_ASSIGN(const MemoryBlock other, arena->Allocate(Segment::kCode, 100, 16));
  ASSERT_THAT(arena->Finalize({other}), IsOk());
  EXPECT_EQ(mapper->count, 0);
  ASSERT_THAT(arena->Finalize({rewritten}), IsOk());
  EXPECT_EQ(mapper->count, 1);
}

TEST(ArenaTest, FreedPagesGoBackToTheSystem) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    const size_t before = arena->usage().committed.total();
    ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(segment, 512 << 10, 4096));
    std::memset(block.write, 'x', block.size);
    EXPECT_EQ(arena->usage().committed.total(), before + block.size);
    arena->Free(block);
    EXPECT_EQ(arena->usage().committed.total(), before);
    ASSERT_OK_AND_ASSIGN(block, arena->Allocate(segment, 512 << 10, 4096));
    EXPECT_EQ(std::string(block.run.InThisProcess<const char*>(), block.size),
              std::string(block.size, '\0'));
  }
}

TEST(ArenaTest, TellsWhatIsUsedAndWhatIsWasted) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  EXPECT_EQ(arena->usage().reserved, size_t{10} << 20);
  EXPECT_EQ(arena->usage().committed.total(), 0u);
  ASSERT_OK_AND_ASSIGN(MemoryBlock code, arena->Allocate(Segment::kCode, 100, 1));
  ASSERT_THAT(arena->Allocate(Segment::kData, 200, 1), IsOk());
  EXPECT_EQ(arena->usage().used.code, 100u);
  EXPECT_EQ(arena->usage().used.data, 200u);
  EXPECT_EQ(arena->usage().committed.total(), 8192u);
  EXPECT_EQ(arena->usage().wasted(), 8192u - 300);
  arena->Free(code);
  EXPECT_EQ(arena->usage().used.code, 0u);
}

// Counts what the system counts, after everything that can add a mapping.
TEST(ArenaTest, HasNoMoreMappingsThanItTells) {
  const auto mappings = [](const Arena& arena) {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    size_t count = 0;
    while (std::getline(maps, line)) {
      unsigned long begin, end;
      if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) continue;
      if (arena.Contains(ExecutorAddress(begin)) || line.find("memfd:firstcall") != line.npos) {
        ++count;
      }
    }
    return count;
  };
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  for (int i = 0; i < 1000; ++i) {
    for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
      ASSERT_THAT(arena->Allocate(segment, 1000, 16), IsOk());
    }
  }
  EXPECT_LE(mappings(*arena), arena->usage().mappings);
  EXPECT_LE(arena->usage().mappings, 16u);
}

// What the child frees it must neither write to nor give back: the parent has it still.
TEST(ArenaTest, ForkedChildLeavesFreedPagesOfItsParentAlone) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_OK_AND_ASSIGN(MemoryBlock before, arena->Allocate(Segment::kCode, 256 << 10, 4096));
  std::memset(before.write, 'b', before.size);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    arena->Free(before);
    for (int i = 0; i < 64; ++i) {
      absl::StatusOr<MemoryBlock> block = arena->Allocate(Segment::kCode, 4096, 16);
      if (!block.ok()) _exit(1);
      std::memset(block->write, 'c', 4096);
    }
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::string(before.run.InThisProcess<const char*>(), before.size),
            std::string(before.size, 'b'));
}

// What the parent frees it must neither write to nor give back: the child may run it.
TEST(ArenaTest, ParentLeavesAlonePagesThatItHadWhenItForked) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(kSmall));
  ASSERT_OK_AND_ASSIGN(MemoryBlock first, arena->Allocate(Segment::kCode, 256 << 10, 4096));
  ASSERT_OK_AND_ASSIGN(MemoryBlock second, arena->Allocate(Segment::kCode, 256 << 10, 4096));
  std::memset(first.write, 'b', first.size);
  std::memset(second.write, 'b', second.size);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  arena->Free(first);  // Nobody runs it.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char go = 0;
    if (read(ends[0], &go, 1) != 1) _exit(1);
    const std::string seen(second.run.InThisProcess<const char*>(), second.size);
    _exit(seen == std::string(second.size, 'b') ? 0 : 2);
  }
  arena->Free(second);
  std::vector<MemoryBlock> blocks;
  for (int i = 0; i < 64; ++i) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(Segment::kCode, 4096, 16));
    std::memset(block.write, 'c', block.size);
    blocks.push_back(block);
    const int64_t offset = block.run - second.run;
    EXPECT_TRUE(offset < 0 || offset >= static_cast<int64_t>(second.size)) << offset;
  }
  ASSERT_EQ(write(ends[1], "g", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  // What was free then, and what was allocated since, is used again, any number of times.
  const size_t used = arena->usage().committed.code;
  for (const MemoryBlock& block : blocks) arena->Free(block);
  const int rounds = NoticesRewrittenCode() ? 1000 : 1;
  for (int i = 0; i < rounds; ++i) {
    ASSERT_OK_AND_ASSIGN(const MemoryBlock block, arena->Allocate(Segment::kCode, 4096, 16));
    arena->Free(block);
  }
  if (NoticesRewrittenCode()) {
    EXPECT_LE(arena->usage().committed.code, used);
  }
}

// --- Growth ---

constexpr size_t kMiB = size_t{1} << 20;

// Bytes of the arena that can be accessed, at both addresses.
size_t AccessibleBytes(const Arena& arena) {
  size_t bytes = 0;
  for (const MemoryMap& map : MemoryMapsOf(getpid())) {
    const bool is_its_own = arena.Contains(ExecutorAddress(map.begin)) ||
                            map.file.find("memfd:firstcall") != std::string::npos;
    if (is_its_own && map.permissions.substr(0, 3) != "---") bytes += map.end - map.begin;
  }
  return bytes;
}

TEST(ArenaTest, WhatIsNotUsedIsNotMapped) {
  if (IsEmulated()) {
    GTEST_SKIP()
        << "the emulator tells of neighbouring mappings as one, with the first one's rights";
  }
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(ArenaSizes::Default()));
  EXPECT_LE(AccessibleBytes(*arena), 8 * kMiB);
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    ASSERT_THAT(arena->Allocate(segment, 100, 1), IsOk());
  }
  EXPECT_LE(AccessibleBytes(*arena), 12 * kMiB);
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    ASSERT_THAT(arena->Allocate(segment, 20 * kMiB, 1), IsOk());
  }
  EXPECT_LE(AccessibleBytes(*arena), 5 * 40 * kMiB);
}

TEST(ArenaTest, BlocksAcrossStepsAreSeenWhereTheyRun) {
  constexpr size_t kSize = 3 * kMiB / 2;
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena,
                       Arena::Create({64 * kMiB, 64 * kMiB, 64 * kMiB}));
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    std::vector<MemoryBlock> blocks;
    for (char i = 0; i < 40; ++i) {
      ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(segment, kSize, 16));
      std::memset(block.write, 'A' + i, kSize);
      ASSERT_THAT(arena->Finalize({block}), IsOk());
      blocks.push_back(block);
    }
    for (char i = 0; i < 40; ++i) {
      const std::string seen(blocks[i].run.InThisProcess<const char*>(), kSize);
      EXPECT_EQ(seen, std::string(kSize, 'A' + i));
    }
  }
  EXPECT_LE(arena->usage().mappings, 60u);
}

// Refuses pages when it is told to.
class RefusingMapper final : public ForwardingMapper {
 public:
  absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress near) override {
    return mapper_.Reserve(size, near);
  }
  absl::StatusOr<std::vector<uint8_t*>> Initialize(
      const Slab& slab, absl::Span<const SlabSegment> segments) override {
    if (refuses) return absl::ResourceExhaustedError("no pages");
    return mapper_.Initialize(slab, segments);
  }

  bool refuses = false;
};

TEST(ArenaTest, AStepThatIsRefusedCanBeMadeLater) {
  const auto mapper = std::make_shared<RefusingMapper>();
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena,
                       Arena::Create(mapper, {64 * kMiB, 64 * kMiB, 64 * kMiB}));
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock before, arena->Allocate(segment, 100, 16));
    std::memset(before.write, 'b', before.size);
    mapper->refuses = true;
    EXPECT_THAT(arena->Allocate(segment, 10 * kMiB, 16),
                StatusIs(absl::StatusCode::kResourceExhausted, "no pages"));
    ASSERT_THAT(arena->Allocate(segment, 100, 16), IsOk());
    mapper->refuses = false;
    ASSERT_OK_AND_ASSIGN(MemoryBlock block, arena->Allocate(segment, 10 * kMiB, 16));
    std::memset(block.write, 'a', block.size);
    EXPECT_EQ(block.run.InThisProcess<const char*>()[block.size - 1], 'a');
    EXPECT_EQ(std::string(before.run.InThisProcess<const char*>(), 100), std::string(100, 'b'));
  }
}

TEST(ArenaTest, ForkedChildGrowsByPagesOfItsOwn) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena,
                       Arena::Create({64 * kMiB, 64 * kMiB, 64 * kMiB}));
  for (Segment segment : {Segment::kCode, Segment::kReadOnly}) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock before, arena->Allocate(segment, 3 * kMiB, 16));
    std::memset(before.write, 'b', before.size);
  }
  const auto fill_with = [&arena](char letter) {
    for (Segment segment : {Segment::kCode, Segment::kReadOnly}) {
      for (int i = 0; i < 10; ++i) {
        absl::StatusOr<MemoryBlock> block = arena->Allocate(segment, 2 * kMiB, 16);
        if (!block.ok()) return false;
        const std::string seen(block->run.InThisProcess<const char*>(), block->size);
        if (seen != std::string(block->size, '\0')) return false;
        std::memset(block->write, letter, block->size);
        if (block->run.InThisProcess<const char*>()[block->size - 1] != letter) return false;
      }
    }
    return true;
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(fill_with('c') ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fill_with('p'));
}

// Of this process, in bytes.
size_t ResidentBytes() {
  size_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(ArenaTest, LargeDataThatIsUsedAgainIsNotMadeResident) {
  if (!NoticesRewrittenCode()) GTEST_SKIP() << "the emulator may keep pages";
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create({kMiB, kMiB, 512 * kMiB}));
  ASSERT_THAT(arena->Allocate(Segment::kData, 10, 1), IsOk());
  ASSERT_OK_AND_ASSIGN(MemoryBlock first, arena->Allocate(Segment::kData, 400 * kMiB, 1));
  first.write[0] = first.write[200 * kMiB] = first.write[400 * kMiB - 1] = 1;
  arena->Free(first);
  const size_t before = ResidentBytes();
  ASSERT_OK_AND_ASSIGN(MemoryBlock second, arena->Allocate(Segment::kData, 400 * kMiB, 1));
  EXPECT_LT(ResidentBytes(), before + 64 * kMiB);
  ASSERT_EQ(second.run, first.run);
  EXPECT_EQ(second.write[0] + second.write[200 * kMiB] + second.write[400 * kMiB - 1], 0);
}

TEST(ArenaTest, LockingAllMemoryMakesOnlyResidentWhatIsUsed) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator would lock its own memory";
  if (kSanitizerTakesMemory) GTEST_SKIP() << "the sanitizer's memory would be locked, too";
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(ArenaSizes::Default()));
  for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
    ASSERT_THAT(arena->Allocate(segment, 100, 1), IsOk());
  }
  constexpr int kRefused = 3;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const size_t before = ResidentBytes();
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) _exit(kRefused);
    for (Segment segment : {Segment::kCode, Segment::kReadOnly, Segment::kData}) {
      if (!arena->Allocate(segment, 100, 1).ok()) _exit(2);
    }
    _exit(ResidentBytes() < before + 64 * kMiB ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kRefused) {
    GTEST_SKIP() << "this process may not lock so much memory";
  }
  EXPECT_EQ(status, 0);
}

// --- Core dumps ---

TEST(ArenaTest, CoreDumpsHaveWhatIsUsedOnly) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not tell";
  if (kSanitizerTakesMemory) GTEST_SKIP() << "the system takes long to tell of terabytes";
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena, Arena::Create(ArenaSizes::Default()));
  for (size_t size : {size_t{100}, size_t{3} << 20, size_t{100}}) {
    for (const Segment segment : {Segment::kCode, Segment::kReadOnly}) {
      ASSERT_OK_AND_ASSIGN(const MemoryBlock block, arena->Allocate(segment, size, 16));
      ASSERT_THAT(arena->Finalize({block}), IsOk());
      EXPECT_FALSE(IsLeftOutOfDumps(getpid(), block.run));
      EXPECT_FALSE(IsLeftOutOfDumps(getpid(), block.run + (block.size - 1)));
      const ExecutorAddress behind = block.run + (block.size + (1 << 20));
      EXPECT_TRUE(IsLeftOutOfDumps(getpid(), behind) || PermissionsAt(behind.value()) == "---p");
      EXPECT_TRUE(IsLeftOutOfDumps(getpid(), ExecutorAddress::Of(block.write)));
    }
  }
}

// --- Where the unwinder finds no code ---

TEST(ArenaTest, NoCodeIsAtAMultipleOf4GiBWhereItBegins) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena,
                       Arena::Create(std::make_shared<BoundaryMapper>(0), kSmall));
  ASSERT_EQ(arena->begin().value() % kUnwinderNull, 0u);
  ASSERT_OK_AND_ASSIGN(MemoryBlock first, arena->Allocate(Segment::kCode, 100, 16));
  EXPECT_EQ(first.run - arena->begin(), 16);
  // What was left out is used but for one byte.
  ASSERT_OK_AND_ASSIGN(MemoryBlock small, arena->Allocate(Segment::kCode, 15, 1));
  if (NoticesRewrittenCode()) {
    EXPECT_EQ(small.run - arena->begin(), 1);
  }
  ASSERT_OK_AND_ASSIGN(MemoryBlock constants, arena->Allocate(Segment::kReadOnly, 100, 16));
  EXPECT_FALSE(HasUnwinderNull(constants.run, 100));
  EXPECT_FALSE(arena->HasRoomFor({kSmall.code - 115, 0, 0}));
  arena->Free(first);
  arena->Free(small);
  ASSERT_OK_AND_ASSIGN(MemoryBlock again, arena->Allocate(Segment::kCode, 16, 1));
  EXPECT_FALSE(HasUnwinderNull(again.run, 16));
}

TEST(ArenaTest, NoCodeIsAtAMultipleOf4GiBFurtherOn) {
  constexpr size_t kDistance = 32 << 20;
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena,
                       Arena::Create(std::make_shared<BoundaryMapper>(kDistance),
                                     {kDistance * 2, 1 << 20, 1 << 20}));
  const ExecutorAddress null = arena->begin() + kDistance;
  ASSERT_EQ(null.value() % kUnwinderNull, 0u);
  EXPECT_TRUE(arena->HasRoomFor({kDistance, 0, 0}));
  EXPECT_FALSE(arena->HasRoomFor({kDistance + 1, 0, 0}));
  ASSERT_OK_AND_ASSIGN(MemoryBlock before, arena->Allocate(Segment::kCode, kDistance - 64, 16));
  EXPECT_EQ(before.run - arena->begin(), 0);
  ASSERT_OK_AND_ASSIGN(MemoryBlock behind, arena->Allocate(Segment::kCode, 100, 16));
  EXPECT_EQ(behind.run - null, 16);
  // Up to the last byte in front of it.
  if (NoticesRewrittenCode()) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock between, arena->Allocate(Segment::kCode, 64, 16));
    EXPECT_EQ(between.run - null, -64);
  }
}

TEST(ArenaSizesTest, WhatCodeCannotReachIsNotChosen) {
  ASSERT_OK_AND_ASSIGN(const ArenaSizes sizes, ArenaSizes::Chosen({1 << 20, 2 << 20, 3 << 20}));
  EXPECT_EQ(sizes.total(), 6u << 20);
  constexpr size_t kGibibyte = size_t{1} << 30;
  EXPECT_THAT(ArenaSizes::Chosen({kGibibyte, kGibibyte, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot reach")));
  // The sum would wrap around.
  EXPECT_THAT(ArenaSizes::Chosen({SIZE_MAX, 1, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot reach")));
}

}  // namespace
}  // namespace firstcall
