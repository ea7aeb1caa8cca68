// Whose memory code lies in, how its pages are protected, and what happens when there is none.

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/memory_manager.h"
#include "memory/page_mapper.h"
#include "seam/listener.h"
#include "tests/testing/boundary_mapper.h"
#include "tests/testing/forwarding_mapper.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

// Functions and data of every kind that needs memory: code, constants, tables, unwind tables, a
// function reached through data, an unlikely path in a section of its own.
constexpr char kProgram[] = R"(
  @count = internal global i32 0
  @zeros = global [1000 x i32] zeroinitializer
  @table = internal constant [2 x ptr] [ptr @one, ptr @two]
  @text = private unnamed_addr constant [4 x i8] c"abc\00"
  define internal i32 @one(i32 %x) uwtable { %r = add i32 %x, 1  ret i32 %r }
  define internal i32 @two(i32 %x) uwtable { %r = add i32 %x, 2  ret i32 %r }
  define i32 @choose(i32 %i) uwtable {
    %p = getelementptr [2 x ptr], ptr @table, i32 0, i32 %i
    %f = load ptr, ptr %p
    %r = call i32 %f(i32 40)
    ret i32 %r
  }
  define i32 @next(i32 %by) uwtable {
    %old = load i32, ptr @count
    %new = add i32 %old, %by
    store i32 %new, ptr @count
    ret i32 %new
  }
  define i32 @letter(i32 %i) {
    %p = getelementptr [4 x i8], ptr @text, i32 0, i32 %i
    %c = load i8, ptr %p
    %r = zext i8 %c to i32
    ret i32 %r
  }
)";

// --- Failing memory ---

// Fails one operation of those it counts, the first being 1.
class Failures {
 public:
  explicit Failures(int which) : which_(which) {}

  absl::Status Next(absl::string_view operation) {
    if (++count_ != which_) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat("code memory: injected: ", operation));
  }
  bool has_failed() const { return count_ >= which_; }

 private:
  const int which_;
  int count_ = 0;
};

class FailingMapper final : public ForwardingMapper {
 public:
  explicit FailingMapper(Failures& failures) : failures_(failures) {}
  ~FailingMapper() override { EXPECT_EQ(slabs_, 0); }

  absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress near) override {
    if (absl::Status status = failures_.Next("reserve"); !status.ok()) return status;
    ++slabs_;
    return mapper_.Reserve(size, near);
  }
  absl::StatusOr<std::vector<uint8_t*>> Initialize(
      const Slab& slab, absl::Span<const SlabSegment> segments) override {
    if (absl::Status status = failures_.Next("initialize"); !status.ok()) return status;
    return ForwardingMapper::Initialize(slab, segments);
  }
  absl::StatusOr<AllocationId> Finalize(const Slab& slab, const Allocation& allocation) override {
    if (absl::Status status = failures_.Next("finalize"); !status.ok()) return status;
    return ForwardingMapper::Finalize(slab, allocation);
  }
  absl::Status Discard(const Slab& slab, const SlabSegment& pages) override {
    if (absl::Status status = failures_.Next("discard"); !status.ok()) return status;
    return ForwardingMapper::Discard(slab, pages);
  }
  absl::Status SynchronizeInstructions() override {
    if (absl::Status status = failures_.Next("synchronize"); !status.ok()) return status;
    return ForwardingMapper::SynchronizeInstructions();
  }
  absl::Status Release(const Slab& slab) override {
    --slabs_;
    return ForwardingMapper::Release(slab);
  }

 private:
  Failures& failures_;
  int slabs_ = 0;
};

class FailingManager final : public MemoryManager {
 public:
  FailingManager(Failures& failures, std::shared_ptr<MemoryManager> engines_own)
      : failures_(failures), engines_own_(std::move(engines_own)) {}
  ~FailingManager() override { EXPECT_EQ(blocks_, 0); }

  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override {
    if (absl::Status status = failures_.Next(request.section); !status.ok()) return status;
    ++blocks_;
    return engines_own_->Allocate(request);
  }
  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) override {
    if (absl::Status status = failures_.Next("finalize"); !status.ok()) return status;
    return engines_own_->Finalize(blocks);
  }
  void Free(absl::Span<const MemoryBlock> blocks) override {
    blocks_ -= static_cast<int>(blocks.size());
    engines_own_->Free(blocks);
  }

 private:
  Failures& failures_;
  const std::shared_ptr<MemoryManager> engines_own_;
  int blocks_ = 0;
};

// Does `step` again if there was no memory for it the first time.
absl::Status Insist(const std::function<absl::Status()>& step) {
  absl::Status status = step();
  if (!absl::IsResourceExhausted(status)) return status;
  EXPECT_THAT(status.message(), HasSubstr("code memory: injected: "));
  return step();
}

int fallback_calls = 0;
int Fallback(int) {
  ++fallback_calls;
  return -1;
}

// Everything an engine does with memory. Whatever fails is done again, and must succeed then.
void UseAll(const EngineOptions& options, Mode mode, bool in_memory) {
  EngineOptions own = options;
  own.mode = mode;
  own.failure_handler = [](const FailedCall& call) -> void* {
    EXPECT_THAT(call.status, StatusIs(absl::StatusCode::kResourceExhausted));
    return reinterpret_cast<void*>(&Fallback);
  };
  std::unique_ptr<Engine> engine;
  ASSERT_THAT(Insist([&] {
                absl::StatusOr<std::unique_ptr<Engine>> made = Engine::Create(own);
                if (made.ok()) engine = *std::move(made);
                return made.status();
              }),
              IsOk());
  for (int round = 0; round < 2; ++round) {
    ModuleId id;
    const std::string bitcode = ParseToBitcode(kProgram);
    const auto add = [&] {
      absl::StatusOr<ModuleId> added = in_memory ? engine->AddAssembly(kProgram, "program")
                                                 : engine->AddBitcode(bitcode, "program");
      if (added.ok()) id = *added;
      return added.status();
    };
    ASSERT_THAT(Insist(add), IsOk());
    int (*choose)(int) = nullptr;
    ASSERT_THAT(Insist([&] {
                  auto found = engine->Lookup<int(int)>("choose");
                  if (found.ok()) choose = *found;
                  return found.status();
                }),
                IsOk());
    fallback_calls = 0;
    for (int i = 0; i < 2; ++i) {
      int result = choose(i);
      if (fallback_calls > 0) result = choose(i);
      EXPECT_EQ(result, 41 + i);
    }
    ASSERT_THAT(Insist([&] { return engine->Prepare({"next", "letter"}); }), IsOk());
    EXPECT_EQ((*engine->Lookup<int(int)>("next").value())(5), 5);
    EXPECT_EQ((*engine->Lookup<int(int)>("letter").value())(2), 'c');
    ASSERT_THAT(engine->Remove(id), IsOk());
  }
}

struct FailureCase {
  Mode mode;
  bool in_memory;
};

class FailingMemoryTest : public testing::TestWithParam<FailureCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, FailingMemoryTest,
                         testing::Values(FailureCase{Mode::kLazy, false},
                                         FailureCase{Mode::kLazy, true},
                                         FailureCase{Mode::kEager, false}));

TEST_P(FailingMemoryTest, EachOperationOfTheMapper) {
  int count = 0;
  for (bool has_failed = true; has_failed;) {
    SCOPED_TRACE(absl::StrCat("operation ", ++count));
    Failures failures(count);
    EngineOptions options;
    options.page_mapper = std::make_shared<FailingMapper>(failures);
    UseAll(options, GetParam().mode, GetParam().in_memory);
    if (HasFatalFailure()) return;
    has_failed = failures.has_failed();
  }
  EXPECT_GT(count, 5);
}

TEST_P(FailingMemoryTest, EachOperationOfTheManager) {
  int count = 0;
  for (bool has_failed = true; has_failed;) {
    SCOPED_TRACE(absl::StrCat("operation ", ++count));
    Failures failures(count);
    EngineOptions options;
    options.memory_manager = [&](std::shared_ptr<MemoryManager> engines_own) {
      return std::make_shared<FailingManager>(failures, std::move(engines_own));
    };
    // LLVM takes locks of its own with it when it gives up, and the thread sanitizer has room for
    // 64 of them on a thread.
    std::thread([&] { UseAll(options, GetParam().mode, GetParam().in_memory); }).join();
    if (HasFatalFailure()) return;
    has_failed = failures.has_failed();
  }
  EXPECT_GT(count, 5);
}

TEST(MemoryBudgetTest, IsAnErrorThatEnds) {
  EngineOptions options;
  options.memory_budget = 64 << 10;
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  const auto module = [](int i) {
    return absl::StrCat("define i32 @f", i, "(i32 %x) { %r = add i32 %x, ", i, " ret i32 %r } @d",
                        i, " = global [8000 x i8] zeroinitializer");
  };
  std::vector<ModuleId> added;
  absl::Status status;
  while (status.ok()) {
    const int i = static_cast<int>(added.size());
    added.push_back(engine->AddAssembly(module(i), "part").value());
    status = engine->LookupAddress(absl::StrCat("d", i)).status();
  }
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("over the budget")));
  EXPECT_GE(added.size(), 4u);
  EXPECT_LE(engine->stats().memory.used.total(), size_t{64 << 10});
  ASSERT_THAT(engine->Remove(added[0]), IsOk());
  EXPECT_THAT(engine->LookupAddress(absl::StrCat("d", added.size() - 1)), IsOk());
}

TEST(ArenasTest, WhatCodeCannotReachIsRefused) {
  EngineOptions options;
  options.arena_sizes = SegmentSizes{size_t{256} << 20, size_t{256} << 20, size_t{4} << 30};
  EXPECT_THAT(Engine::Create(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2000 MiB")));
}

// Modules go to further arenas, and those of the first one go on, with functions that refer to what
// lies in others.
TEST(ArenasTest, AreAddedWhenOneIsFull) {
  for (const Mode mode : {Mode::kLazy, Mode::kEager}) {
    EngineOptions options;
    options.mode = mode;
    options.arena_sizes = SegmentSizes{256 << 10, 256 << 10, 256 << 10};
    std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
    constexpr int kModules = 60;
    for (int i = 0; i < kModules; ++i) {
      // 16 KiB of data, and calls of the module before and of the first.
      const std::string text = absl::StrCat(
          "@d", i, " = global [4000 x i32] zeroinitializer\n",
          i > 0
              ? absl::StrCat("declare i32 @f", i - 1, "(i32) @d0 = external global [4000 x i32]\n")
              : "",
          "define i32 @late", i, "(i32 %x) { %p = getelementptr i32, ptr @d", i,
          ", i32 %x  %v = load i32, ptr %p  %w = load i32, ptr @d0  %s = add i32 %v, %w"
          "  ret i32 %s }\n",
          "define i32 @f", i, "(i32 %x) { store i32 ", i, ", ptr @d", i, "\n",
          i > 0 ? absl::StrCat("%r = call i32 @f", i - 1, "(i32 %x)") : "%r = add i32 %x, 0",
          " %s = add i32 %r, 1  ret i32 %s }");
      ASSERT_THAT(engine->AddBitcode(ParseToBitcode(text), absl::StrCat("part", i)), IsOk());
      const std::string name = absl::StrCat("f", i);
      ASSERT_EQ((*engine->Lookup<int(int)>(name).value())(100), 101 + i);
    }
    EXPECT_GT(engine->stats().memory.arenas, 3u);
    for (int i = 0; i < kModules; ++i) {
      const std::string name = absl::StrCat("late", i);
      ASSERT_EQ((*engine->Lookup<int(int)>(name).value())(0), i);
    }
  }
}

// --- The client's memory ---

// Manages pages itself: each block has pages of its own, which become executable or read-only when
// they are finalized. Far away from everything else, or not where it should be.
class PagesOfItsOwn final : public MemoryManager {
 public:
  explicit PagesOfItsOwn(bool heeds_near = false) : heeds_near_(heeds_near) {}
  ~PagesOfItsOwn() override {
    absl::MutexLock lock(&mutex_);
    EXPECT_TRUE(blocks_.empty());
  }

  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override {
    const size_t size = (request.size + 4095) / 4096 * 4096 + 4096;
    absl::MutexLock lock(&mutex_);
    const bool is_near = heeds_near_ && !request.near.is_null();
    void* pages = is_near ? MapNear(request.near, size) : MapFarAway(size);
    if (pages == MAP_FAILED) return absl::ResourceExhaustedError("mmap");
    blocks_[pages] = size;
    auto* bytes = static_cast<uint8_t*>(pages);
    return MemoryBlock{bytes, ExecutorAddress::Of(bytes), request.size, request.segment};
  }

  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) override {
    absl::MutexLock lock(&mutex_);
    ++finalized_;
    for (const MemoryBlock& block : blocks) {
      if (block.segment == Segment::kData) continue;
      const int protection = block.segment == Segment::kCode ? PROT_READ | PROT_EXEC : PROT_READ;
      if (mprotect(block.write, blocks_.at(block.write), protection) != 0) {
        return absl::ResourceExhaustedError("mprotect");
      }
      auto* begin = reinterpret_cast<char*>(block.write);
      __builtin___clear_cache(begin, begin + block.size);
    }
    return absl::OkStatus();
  }

  void Free(absl::Span<const MemoryBlock> blocks) override {
    absl::MutexLock lock(&mutex_);
    for (const MemoryBlock& block : blocks) {
      munmap(block.write, blocks_.at(block.write));
      blocks_.erase(block.write);
    }
  }

  bool Has(const void* address) const {
    absl::MutexLock lock(&mutex_);
    auto after = blocks_.upper_bound(const_cast<void*>(address));
    if (after == blocks_.begin()) return false;
    --after;
    return static_cast<const char*>(address) < static_cast<char*>(after->first) + after->second;
  }
  int finalized() const {
    absl::MutexLock lock(&mutex_);
    return finalized_;
  }

 private:
  // There and nowhere else, or MAP_FAILED.
  static void* MapAt(void* address, size_t size) {
    void* pages = mmap(address, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (pages == address || pages == MAP_FAILED) return pages;
    munmap(pages, size);  // The emulator, and a system before Linux 4.17, take it for a hint.
    return MAP_FAILED;
  }

  static void* MapNear(ExecutorAddress near, size_t size) {
    near = ExecutorAddress(near.value() & ~uint64_t{4095});
    for (int64_t distance = (64 << 20) - kReach; distance < kReach; distance += 16 << 20) {
      void* pages = MapAt((near + distance).InThisProcess<void*>(), size);
      if (pages != MAP_FAILED) return pages;
    }
    return MAP_FAILED;
  }

  // One behind the other, out of reach of the program, of its libraries and of the engine's memory.
  void* MapFarAway(size_t size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (int step = 0; step < 1000; ++step) {
      void* pages = MapAt(next_, size);
      if (pages != MAP_FAILED) {
        next_ += size;
        return pages;
      }
      next_ += int64_t{1} << 30;
    }
    return MAP_FAILED;
  }

  const bool heeds_near_;
  mutable absl::Mutex mutex_;
  char* next_ ABSL_GUARDED_BY(mutex_) = reinterpret_cast<char*>(
      (reinterpret_cast<uintptr_t>(&kProgram) & ~uintptr_t{0xffff}) + (uintptr_t{64} << 30));
  std::map<void*, size_t> blocks_;
  int finalized_ = 0;
};

class ClientMemoryTest : public testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(Modes, ClientMemoryTest, testing::Values(Mode::kLazy, Mode::kEager));

TEST_P(ClientMemoryTest, CodeAndDataLieInIt) {
  auto memory = std::make_shared<PagesOfItsOwn>();
  EngineOptions options;
  options.mode = GetParam();
  options.memory_manager = [&](std::shared_ptr<MemoryManager>) { return memory; };
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  // Of the other module's functions and data, and of the process's.
  constexpr char kUser[] = R"(
    @zeros = external global [1000 x i32]
    declare i32 @next(i32)
    declare i32 @choose(i32)
    declare i32 @abs(i32)
    define i32 @user(i32 %x) uwtable {
      %n = call i32 @next(i32 %x)
      %c = call i32 @choose(i32 1)
      %z = load i32, ptr @zeros
      %a = call i32 @abs(i32 -100)
      %s = add i32 %n, %c
      %t = add i32 %s, %z
      %u = add i32 %t, %a
      ret i32 %u
    }
  )";
  const ModuleId program = engine->AddBitcode(ParseToBitcode(kProgram), "program").value();
  const ModuleId user = engine->AddBitcode(ParseToBitcode(kUser), "user").value();
  int (*call)(int) = engine->Lookup<int(int)>("user").value();
  EXPECT_EQ(call(7), 7 + 42 + 100);
  EXPECT_EQ(call(1), 8 + 42 + 100);
  EXPECT_TRUE(memory->Has(engine->LookupAddress("zeros").value()));
  EXPECT_EQ(memory->Has(reinterpret_cast<void*>(call)), GetParam() == Mode::kEager);
  EXPECT_GE(memory->finalized(), 2);
  EXPECT_EQ((*engine->Lookup<int(int)>("letter").value())(1), 'b');
  ASSERT_THAT(engine->Remove(user), IsOk());
  ASSERT_THAT(engine->Remove(program), IsOk());
}

// Outlives the engine as long as there is code in it.
TEST_P(ClientMemoryTest, LivesAsLongAsDetachedCode) {
  auto memory = std::make_shared<PagesOfItsOwn>();
  const std::weak_ptr<PagesOfItsOwn> life = memory;
  EngineOptions options;
  options.mode = GetParam();
  options.memory_manager = [memory](std::shared_ptr<MemoryManager>) { return memory; };
  memory = nullptr;
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  options = EngineOptions();
  const ModuleId id = engine->AddBitcode(ParseToBitcode(kProgram), "program").value();
  std::unique_ptr<DetachedCode> code = engine->Detach(id).value();
  engine = nullptr;
  EXPECT_EQ((*code->Lookup<int(int)>("choose").value())(0), 41);
  EXPECT_FALSE(life.expired());
  code = nullptr;
  EXPECT_TRUE(life.expired());
}

// Provides what is written to, and leaves the rest to the engine.
class OnlyData final : public MemoryManager {
 public:
  OnlyData(bool heeds_near, std::shared_ptr<MemoryManager> engines_own)
      : own_(heeds_near), engines_own_(std::move(engines_own)) {}

  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override {
    return request.segment == Segment::kData ? own_.Allocate(request)
                                             : engines_own_->Allocate(request);
  }
  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) override {
    auto [own, others] = Divide(blocks);
    absl::Status status = own_.Finalize(own);
    status.Update(engines_own_->Finalize(others));
    return status;
  }
  void Free(absl::Span<const MemoryBlock> blocks) override {
    auto [own, others] = Divide(blocks);
    own_.Free(own);
    engines_own_->Free(others);
  }

 private:
  using Blocks = std::vector<MemoryBlock>;
  static std::pair<Blocks, Blocks> Divide(absl::Span<const MemoryBlock> blocks) {
    std::pair<Blocks, Blocks> divided;
    for (const MemoryBlock& block : blocks) {
      (block.segment == Segment::kData ? divided.first : divided.second).push_back(block);
    }
    return divided;
  }

  PagesOfItsOwn own_;
  const std::shared_ptr<MemoryManager> engines_own_;
};

TEST_P(ClientMemoryTest, MayProvideAPart) {
  EngineOptions options;
  options.mode = GetParam();
  options.memory_manager = [](std::shared_ptr<MemoryManager> engines_own) {
    return std::make_shared<OnlyData>(/*heeds_near=*/true, std::move(engines_own));
  };
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  const ModuleId id = engine->AddBitcode(ParseToBitcode(kProgram), "program").value();
  EXPECT_EQ((*engine->Lookup<int(int)>("next").value())(3), 3);
  EXPECT_EQ((*engine->Lookup<int(int)>("choose").value())(1), 42);
  EXPECT_EQ((*engine->Lookup<int(int)>("letter").value())(0), 'a');
  ASSERT_THAT(engine->Remove(id), IsOk());
}

// Remembers the blocks of the section with stack maps, as a client that reads them does.
class StackMapReader final : public MemoryManager {
 public:
  explicit StackMapReader(std::shared_ptr<MemoryManager> engines_own)
      : engines_own_(std::move(engines_own)) {}

  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override {
    absl::StatusOr<MemoryBlock> block = engines_own_->Allocate(request);
    absl::MutexLock lock(&mutex_);
    if (block.ok() && request.section == ".llvm_stackmaps") maps_.push_back(*block);
    return block;
  }
  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) override {
    return engines_own_->Finalize(blocks);
  }
  void Free(absl::Span<const MemoryBlock> blocks) override { engines_own_->Free(blocks); }

  // What each map begins with (LLVM's format, version 3), once its object is finished.
  struct Header {
    uint8_t version;
    uint8_t reserved[3];
    uint32_t functions, constants, records;
    uint64_t function, stack_size, records_of_function;
  };
  std::vector<Header> Headers() const {
    absl::MutexLock lock(&mutex_);
    std::vector<Header> headers;
    for (const MemoryBlock& map : maps_) headers.push_back(*map.run.InThisProcess<Header*>());
    return headers;
  }

 private:
  const std::shared_ptr<MemoryManager> engines_own_;
  mutable absl::Mutex mutex_;
  std::vector<MemoryBlock> maps_ ABSL_GUARDED_BY(mutex_);
};

TEST_P(ClientMemoryTest, FindsStackMapsByTheNameOfTheirSection) {
  std::shared_ptr<StackMapReader> reader;
  EngineOptions options;
  options.mode = GetParam();
  options.memory_manager = [&](std::shared_ptr<MemoryManager> engines_own) {
    reader = std::make_shared<StackMapReader>(std::move(engines_own));
    return reader;
  };
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  const std::string text = R"(
    declare void @llvm.experimental.stackmap(i64, i32, ...)
    @constant = constant [3 x i64] [i64 1, i64 2, i64 3]
    define i64 @one(i64 %i) {
      call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0, i64 %i)
      %p = getelementptr i64, ptr @constant, i64 %i
      %x = load i64, ptr %p
      ret i64 %x
    }
    define i64 @two(i64 %i) {
      call void (i64, i32, ...) @llvm.experimental.stackmap(i64 2, i32 0, i64 %i)
      call void (i64, i32, ...) @llvm.experimental.stackmap(i64 3, i32 0, i64 %i)
      ret i64 %i
    })";
  const ModuleId id = engine->AddBitcode(ParseToBitcode(text), "maps").value();
  EXPECT_EQ((*engine->Lookup<int64_t(int64_t)>("one").value())(2), 3);
  EXPECT_EQ((*engine->Lookup<int64_t(int64_t)>("two").value())(2), 2);
  size_t functions = 0, records = 0;
  const bool is_lazy = GetParam() == Mode::kLazy;
  EXPECT_EQ(reader->Headers().size(), is_lazy ? 2u : 1u) << "each object has its own map";
  for (const StackMapReader::Header& header : reader->Headers()) {
    EXPECT_EQ(header.version, 3);
    functions += header.functions;
    records += header.records;
    EXPECT_NE(header.function, 0u);
  }
  EXPECT_EQ(functions, 2u);
  EXPECT_EQ(records, 3u);
  ASSERT_THAT(engine->Remove(id), IsOk());
}

// The contract is not kept: an error, and no wrong code.
TEST_P(ClientMemoryTest, WhatIsOutOfReachIsRefused) {
  EngineOptions options;
  options.mode = GetParam();
  options.memory_manager = [](std::shared_ptr<MemoryManager> engines_own) {
    return std::make_shared<OnlyData>(/*heeds_near=*/false, std::move(engines_own));
  };
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  absl::Status status = engine->AddBitcode(ParseToBitcode(kProgram), "program").status();
  if (status.ok()) status = engine->Prepare({"letter", "choose", "next"});
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                               HasSubstr("out of reach of the rest of its object")));
}

// --- Protection ---

class MapsReader final : public Listener {
 public:
  void OnPublished(const PublishedObject&) override { Read(); }
  void OnRemoved(const RemovedModule&) override { Read(); }
  int reads() const { return reads_; }

 private:
  void Read() {
    ++reads_;
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line)) EXPECT_THAT(line, Not(HasSubstr(" rwx"))) << line;
  }
  std::atomic<int> reads_{0};
};

TEST_P(ClientMemoryTest, NothingIsWritableAndExecutableAtAnyPublication) {
  for (const bool is_clients : {false, true}) {
    auto reader = std::make_shared<MapsReader>();
    EngineOptions options;
    options.mode = GetParam();
    options.listeners.push_back(reader);
    if (is_clients) {
      options.memory_manager = [](std::shared_ptr<MemoryManager>) {
        return std::make_shared<PagesOfItsOwn>();
      };
    }
    std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
    const ModuleId id = engine->AddBitcode(ParseToBitcode(kProgram), "program").value();
    for (int i = 0; i < 2; ++i) EXPECT_EQ((*engine->Lookup<int(int)>("choose").value())(i), 41 + i);
    EXPECT_EQ((*engine->Lookup<int(int)>("next").value())(5), 5);
    ASSERT_THAT(engine->Remove(id), IsOk());
    EXPECT_GE(reader->reads(), GetParam() == Mode::kLazy ? 5 : 2);
  }
}

// --- Where the unwinder finds no code ---

extern "C" void firstcall_test_throw_from_memory() { throw 5; }

class BoundaryTest : public testing::TestWithParam<EngineOptions> {};

EngineOptions AtBoundary(Mode mode, Tier tier) {
  EngineOptions options;
  options.mode = mode;
  options.tier = tier;
  options.promotion.threshold = 1;
  options.promotion.threads = 0;
  options.page_mapper = std::make_shared<BoundaryMapper>(0);
  return options;
}

INSTANTIATE_TEST_SUITE_P(Cases, BoundaryTest,
                         testing::Values(AtBoundary(Mode::kLazy, Tier::kZero),
                                         AtBoundary(Mode::kLazy, Tier::kOne),
                                         AtBoundary(Mode::kLazy, Tier::kAuto),
                                         AtBoundary(Mode::kEager, Tier::kZero)));

TEST_P(BoundaryTest, ExceptionsPassThroughTheFirstFunctions) {
  std::unique_ptr<Engine> engine = Engine::Create(GetParam()).value();
  ASSERT_THAT(engine->AddAssembly(R"(
                declare void @firstcall_test_throw_from_memory()
                define void @f() uwtable { call void @g() ret void }
                define void @g() uwtable {
                  call void @firstcall_test_throw_from_memory() ret void })",
                                  "module"),
              IsOk());
  // Compiled before anything has a stub: this is the first code in the arena.
  ASSERT_THAT(engine->Prepare({"g"}), IsOk());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(engine->Lookup<void()>("g").value()(), int);
    EXPECT_THROW(engine->Lookup<void()>("f").value()(), int);
  }
}

}  // namespace
}  // namespace firstcall
