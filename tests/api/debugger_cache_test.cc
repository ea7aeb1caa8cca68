// What runs with a debugger and runs without one leave to each other in a cache.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/stats.h"
#include "tests/api/counting_debugger.h"
#include "tests/api/memory_cache.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kFunctions = 40;
constexpr int64_t kSum = kFunctions * (kFunctions - 1) / 2;

// f0 calls f1, and so on. Each would call a function of its own for 424242, which is compiled along
// for a debugger, and is never called.
std::string Program() {
  std::string text;
  for (int i = 0; i < kFunctions; ++i) {
    const std::string next = i + 1 < kFunctions
                                 ? absl::StrCat("%z = call i64 @f", i + 1, "(i64 %x)")
                                 : "%z = add i64 %x, 0";
    absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) noinline {\n",
                    "  %c = icmp eq i64 %x, 424242\n  br i1 %c, label %rare, label %call\n",
                    "rare:\n  %v = call i64 @rare", i, "(i64 %x)\n  br label %end\n", "call:\n  ",
                    next, "\n  br label %end\n",
                    "end:\n  %y = phi i64 [ %v, %rare ], [ %z, %call ]\n", "  %r = add i64 %y, ", i,
                    "\n  ret i64 %r\n}\n", "define internal i64 @rare", i,
                    "(i64 %x) noinline {\n  ret i64 %x\n}\n");
  }
  return ParseToBitcode(text);
}

struct Outcome {
  Stats stats;
  Told told;
};

class DebuggerCacheTest : public ::testing::TestWithParam<Tier> {
 protected:
  static Outcome RunOnce(const std::shared_ptr<MemoryCache>& cache, bool with_debugger) {
    EngineOptions options;
    options.tier = GetParam();
    options.object_cache = cache;
    const std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
    std::optional<CountingDebugger> debugger;
    if (with_debugger) debugger.emplace();
    EXPECT_TRUE(engine->AddBitcode(Program(), "program").ok());
    EXPECT_EQ(engine->Lookup<int64_t(int64_t)>("f0").value()(5), 5 + kSum);
    return {engine->stats(), with_debugger ? debugger->told() : Told()};
  }
};

TEST_P(DebuggerCacheTest, SecondRunWithADebuggerCompilesNothingAndTellsItOfFewObjects) {
  const auto cache = std::make_shared<MemoryCache>();
  const Outcome first = RunOnce(cache, true);
  EXPECT_GT(first.stats.functions_compiled, static_cast<size_t>(kFunctions));  // Some in vain.
  EXPECT_GE(first.told.objects, 8u);
  const Outcome second = RunOnce(cache, true);
  EXPECT_EQ(second.stats.functions_compiled, 0u);
  EXPECT_GE(second.told.objects, 1u);
  EXPECT_LE(second.told.objects, first.told.objects / 2);
}

TEST_P(DebuggerCacheTest, RunsWithoutADebuggerDoNotUseWhatItCausedToBeCompiledTogether) {
  const auto cache = std::make_shared<MemoryCache>();
  RunOnce(cache, true);
  EXPECT_THAT(cache->Objects("for a debugger"), Not(IsEmpty()));
  RunOnce(cache, false);
  EXPECT_EQ(RunOnce(cache, false).stats.functions_compiled, 0u);

  const auto without_debugger = std::make_shared<MemoryCache>();
  EXPECT_EQ(RunOnce(without_debugger, false).stats.functions_compiled,
            static_cast<size_t>(kFunctions));
  EXPECT_THAT(without_debugger->Objects("for a debugger"), IsEmpty());
  int compared = 0;
  for (int ordinal = 0; ordinal < 2 * kFunctions; ++ordinal) {
    const std::string part = absl::StrCat("function ", ordinal, "\n");
    const std::vector<std::string> expected = without_debugger->Objects(part);
    EXPECT_EQ(cache->Objects(part), expected) << part;
    if (!expected.empty()) ++compared;
  }
  EXPECT_EQ(compared, kFunctions);
}

TEST_P(DebuggerCacheTest, RunWithADebuggerUsesWhatARunWithoutOneLeft) {
  const auto cache = std::make_shared<MemoryCache>();
  RunOnce(cache, false);
  EXPECT_EQ(RunOnce(cache, true).stats.functions_compiled, 0u);
  EXPECT_THAT(cache->Objects("for a debugger"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Tiers, DebuggerCacheTest, ::testing::Values(Tier::kZero, Tier::kAuto));

}  // namespace
}  // namespace firstcall
