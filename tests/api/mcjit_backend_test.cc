// Backend::kMcjit: MCJIT compiles and links what is called.

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/Target/TargetMachine.h"
#include "seam/code_origin.h"
#include "tests/api/memory_cache.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

constexpr char kProgram[] = R"(
  @calls = global i32 0
  @table = constant ptr @twice
  define i32 @twice(i32 %x) {
    %n = load i32, ptr @calls
    %m = add i32 %n, 1
    store i32 %m, ptr @calls
    %y = shl i32 %x, 1
    ret i32 %y
  }
  define i32 @four(i32 %x) {
    %f = load ptr, ptr @table
    %y = call i32 %f(i32 %x)
    %z = call i32 @twice(i32 %y)
    ret i32 %z
  }
  define i32 @never(i32 %x) {
    ret i32 %x
  }
)";

using Unary = int(int);

// Counts the execution engines that llvm::EngineBuilder makes, as long as it lives.
class EngineCounter : llvm::ExecutionEngine {
 public:
  static void Start() {
    made_ = 0;
    if (original_ == nullptr) original_ = MCJITCtor;
    MCJITCtor = [](std::unique_ptr<llvm::Module> module, std::string* error,
                   std::shared_ptr<llvm::MCJITMemoryManager> memory,
                   std::shared_ptr<llvm::LegacyJITSymbolResolver> resolver,
                   std::unique_ptr<llvm::TargetMachine> machine) {
      ++made_;
      return original_(std::move(module), error, std::move(memory), std::move(resolver),
                       std::move(machine));
    };
  }
  static int Stop() {
    MCJITCtor = original_;
    return made_;
  }

 private:
  static decltype(MCJITCtor) original_;
  static int made_;
};

decltype(EngineCounter::original_) EngineCounter::original_ = nullptr;
int EngineCounter::made_ = 0;

EngineOptions OptionsFor(Backend backend) {
  EngineOptions options;
  options.backend = backend;
  options.promotion.threads = 0;
  return options;
}

// The same; a call that fails returns -1, and `reason` says why.
EngineOptions OptionsThatNote(Backend backend, std::string& reason) {
  EngineOptions options = OptionsFor(backend);
  options.failure_handler = [&reason](const FailedCall& call) {
    reason = std::string(call.status.message());
    return reinterpret_cast<void*>(+[] { return -1; });
  };
  return options;
}

std::unique_ptr<Engine> EngineWith(const EngineOptions& options) {
  absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(options);
  EXPECT_THAT(engine, IsOk());
  if (!engine.ok()) return nullptr;
  EXPECT_THAT((*engine)->AddAssembly(kProgram, "program"), IsOk());
  return *std::move(engine);
}

int Call(Engine& engine, const char* name, int argument) {
  const auto function = engine.Lookup<Unary>(name);
  EXPECT_THAT(function, IsOk());
  return function.ok() ? (*function)(argument) : -1;
}

TEST(McjitBackendTest, CompilesAndLinksWhatIsCalled) {
  EngineCounter::Start();
  const auto engine = EngineWith(OptionsFor(Backend::kMcjit));
  EXPECT_EQ(Call(*engine, "four", 3), 12);
  const Stats stats = engine->stats();
  // Two functions and the data, each compiled by one engine and linked by another.
  EXPECT_EQ(EngineCounter::Stop(), 6);
  EXPECT_EQ(stats.functions_compiled, 2u);
  EXPECT_EQ(stats.functions_mcjit, 2u);
  EXPECT_EQ(stats.functions_baseline, 0u);
  EXPECT_EQ(stats.objects_linked, 3u);
  EXPECT_EQ(stats.objects_mcjit, 3u);
}

TEST(McjitBackendTest, OthersDoNotUseIt) {
  for (const Backend backend : {Backend::kAuto, Backend::kBaseline, Backend::kLlvm}) {
    EngineCounter::Start();
    const auto engine = EngineWith(OptionsFor(backend));
    EXPECT_EQ(Call(*engine, "four", 3), 12);
    EXPECT_EQ(EngineCounter::Stop(), 0);
    EXPECT_EQ(engine->stats().functions_mcjit, 0u);
    EXPECT_EQ(engine->stats().functions_baseline, backend == Backend::kLlvm ? 0u : 2u);
  }
}

TEST(McjitBackendTest, OptimizedBodiesAreMcjitsToo) {
  EngineOptions options = OptionsFor(Backend::kMcjit);
  options.promotion.threshold = 1;
  const auto engine = EngineWith(options);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Call(*engine, "four", 3), 12);
  const Stats stats = engine->stats();
  EXPECT_GT(stats.promotions_made, 0u);
  EXPECT_EQ(stats.promotions_failed, 0u) << stats.last_failed_promotion;
  EXPECT_EQ(stats.objects_mcjit, stats.objects_linked);
}

TEST(McjitBackendTest, CompilesWholeModules) {
  EngineOptions options = OptionsFor(Backend::kMcjit);
  options.mode = Mode::kEager;
  const auto engine = EngineWith(options);
  EXPECT_EQ(Call(*engine, "four", 3), 12);
  EXPECT_EQ(engine->stats().functions_mcjit, 3u);
}

// As in the virtual tables of -fexperimental-relative-c++-abi-vtables. MCJIT would put a jump into
// the data.
TEST(McjitBackendTest, DataMayHaveDistancesToFunctions) {
  const auto engine = Engine::Create(OptionsFor(Backend::kMcjit)).value();
  ASSERT_THAT(engine->AddAssembly(R"(
    @distances = constant [1 x i32] [i32 trunc (i64 sub (
        i64 ptrtoint (ptr dso_local_equivalent @add to i64),
        i64 ptrtoint (ptr @distances to i64)) to i32)]
    define linkonce_odr i32 @add(i32 %x) {
      %y = add i32 %x, 5
      ret i32 %y
    }
    define i32 @by_distance(i32 %x) {
      %d = load i32, ptr @distances
      %e = sext i32 %d to i64
      %f = getelementptr i8, ptr @distances, i64 %e
      %y = call i32 %f(i32 %x)
      ret i32 %y
    })",
                                  "distances"),
              IsOk());
  EXPECT_EQ(Call(*engine, "by_distance", 1), 6);
  const Stats stats = engine->stats();
  EXPECT_EQ(stats.functions_mcjit, 2u);
  EXPECT_EQ(stats.objects_mcjit, 2u);
  EXPECT_EQ(stats.objects_linked, 3u);
}

#if defined(__x86_64__)
// MCJIT would cut off the address.
TEST(McjitBackendTest, AnAddressOf32BitsIsAnError) {
  for (const Backend backend : {Backend::kMcjit, Backend::kLlvm}) {
    std::string reason;
    const auto engine = Engine::Create(OptionsThatNote(backend, reason)).value();
    ASSERT_THAT(engine->AddAssembly(R"(
      @calls = global i32 7
      define i32 @absolute(i32 %x) {
        %p = call ptr asm "movq $$calls, $0", "=r"()
        %y = load i32, ptr %p
        ret i32 %y
      })",
                                    "absolute"),
                IsOk());
    EXPECT_EQ(Call(*engine, "absolute", 0), -1);
    EXPECT_THAT(reason, HasSubstr("-fPIC"));
  }
}
#endif

// LLVM writes no object then.
TEST(McjitBackendTest, WhatIsWrongWithAssemblyIsSaid) {
  std::string reason;
  const auto engine = Engine::Create(OptionsThatNote(Backend::kMcjit, reason)).value();
  ASSERT_THAT(engine->AddAssembly(R"(
    define i32 @unfinished(i32 %x) nounwind {
      call void asm sideeffect ".cfi_startproc", ""()
      ret i32 %x
    }
    define i32 @other(i32 %x) {
      ret i32 %x
    })",
                                  "unfinished"),
              IsOk());
  // LLVM leaves a lock locked, and for the thread sanitizer all that the thread locks afterwards is
  // locked behind this lock.
  std::thread([&] { EXPECT_EQ(Call(*engine, "unfinished", 0), -1); }).join();
  EXPECT_THAT(reason, HasSubstr("Unfinished frame"));
  EXPECT_EQ(Call(*engine, "other", 3), 3);
}

TEST(McjitBackendTest, CodeIsRemovedAndDetached) {
  const auto engine = Engine::Create(OptionsFor(Backend::kMcjit)).value();
  ASSERT_OK_AND_ASSIGN(const ModuleId first, engine->AddAssembly(kProgram, "first"));
  EXPECT_EQ(Call(*engine, "four", 1), 4);
  EXPECT_THAT(engine->Remove(first), IsOk());
  ASSERT_OK_AND_ASSIGN(const ModuleId second, engine->AddAssembly(kProgram, "second"));
  EXPECT_EQ(Call(*engine, "four", 2), 8);
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<DetachedCode> code, engine->Detach(second));
  const auto twice = code->Lookup<Unary>("twice");
  ASSERT_THAT(twice, IsOk());
  EXPECT_EQ((*twice)(5), 10);
}

TEST(McjitBackendTest, ACacheKeepsItsObjectsApart) {
  const auto cache = std::make_shared<MemoryCache>();
  for (const Backend backend : {Backend::kMcjit, Backend::kLlvm}) {
    for (const bool is_second : {false, true}) {
      EngineOptions options = OptionsFor(backend);
      options.object_cache = cache;
      const auto engine = Engine::Create(options).value();
      ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kProgram), "program"), IsOk());
      EXPECT_EQ(Call(*engine, "four", 3), 12);
      const Stats stats = engine->stats();
      EXPECT_EQ(stats.functions_cached, is_second ? 2u : 0u);
      EXPECT_EQ(stats.functions_mcjit, backend == Backend::kMcjit && !is_second ? 2u : 0u);
      EXPECT_EQ(stats.objects_mcjit, backend == Backend::kMcjit ? stats.objects_linked : 0u);
    }
  }
}

TEST(McjitBackendTest, ContradictionsAreErrors) {
  const struct {
    Backend backend;
    Baseline baseline;
  } contradictions[] = {{Backend::kBaseline, Baseline::kOff},
                        {Backend::kLlvm, Baseline::kStrict},
                        {Backend::kMcjit, Baseline::kStrict}};
  for (const auto& [backend, baseline] : contradictions) {
    EngineOptions options = OptionsFor(backend);
    options.baseline = baseline;
    EXPECT_THAT(Engine::Create(options).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the backend is")));
  }
}

}  // namespace
}  // namespace firstcall
