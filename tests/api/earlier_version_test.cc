// A module of which some functions were changed: what is the same comes from the cache.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/api/memory_cache.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr int kFunctions = 12;

// f0 calls f1, and so on, but only under a condition, so that each has an object of its own. f3 and
// f4 call `forced`, which must be inlined, through `also_forced`. `small` may be inlined into f5.
std::string Program() {
  std::string text = R"(
    @base = internal global i64 1000
    define internal i64 @forced(i64 %x) alwaysinline { %r = add i64 %x, 100 ret i64 %r }
    define internal i64 @also_forced(i64 %x) alwaysinline {
      %r = call i64 @forced(i64 %x)
      ret i64 %r
    }
    define i64 @small(i64 %x) { %r = add i64 %x, 10 ret i64 %r })";
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) noinline {\n  %y = add i64 %x, ", i, "\n");
    const std::string callee = i == 3 || i == 4 ? "also_forced" : i == 5 ? "small" : "";
    absl::StrAppend(&text, callee.empty()
                               ? "  %z = add i64 %y, 0\n"
                               : absl::StrCat("  %z = call i64 @", callee, "(i64 %y)\n"));
    absl::StrAppend(
        &text, "  %c = icmp eq i64 %x, 424242\n  br i1 %c, label %end, label %call\n",
        "call:\n  %n = ",
        i + 1 < kFunctions ? absl::StrCat("call i64 @f", i + 1, "(i64 %z)") : "load i64, ptr @base",
        "\n  br label %end\nend:\n  %r = phi i64 [ 0, %0 ], [ %n, %call ]\n");
    absl::StrAppend(&text, i + 1 < kFunctions ? "  ret i64 %r\n}\n"
                                              : "  %s = add i64 %r, %z\n  ret i64 %s\n}\n");
  }
  return text;
}

constexpr int64_t kSum = 1000 + kFunctions * (kFunctions - 1) / 2 + 2 * 100 + 10;

class EarlierVersionTest : public ::testing::TestWithParam<Tier> {
 protected:
  struct Run {
    int64_t result;
    size_t compiled;
  };

  Run RunVersion(const std::string& text, Mode mode = Mode::kLazy) {
    EngineOptions options;
    options.tier = GetParam();
    options.mode = mode;
    options.object_cache = cache_;
    std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
    EXPECT_THAT(engine->AddBitcode(ParseToBitcode(text), "program").status(), IsOk());
    const int64_t result = engine->Lookup<int64_t(int64_t)>("f0").value()(0);
    return {result, engine->stats().functions_compiled};
  }

  static std::string Replace(const std::string& from, const std::string& to) {
    std::string text = Program();
    EXPECT_EQ(absl::StrReplaceAll({{from, to}}, &text), 1) << from;
    return text;
  }

  // `small` has no object of its own if it is inlined.
  size_t All() const { return kFunctions + (GetParam() == Tier::kOne ? 0 : 1); }

  const std::shared_ptr<MemoryCache> cache_ = std::make_shared<MemoryCache>();
};

INSTANTIATE_TEST_SUITE_P(Tiers, EarlierVersionTest,
                         ::testing::Values(Tier::kZero, Tier::kOne, Tier::kAuto));

TEST_P(EarlierVersionTest, OnlyTheChangedFunctionIsCompiled) {
  Run run = RunVersion(Program());
  EXPECT_EQ(run.result, kSum);
  EXPECT_EQ(run.compiled, All());
  const std::string changed =
      Replace("%y = add i64 %x, 7\n", "%w = mul i64 %x, 1\n  %y = add i64 %w, 8\n");
  run = RunVersion(changed);
  EXPECT_EQ(run.result, kSum + 1);
  EXPECT_EQ(run.compiled, 1u);
  run = RunVersion(changed);
  EXPECT_EQ(run.result, kSum + 1);
  EXPECT_EQ(run.compiled, 0u);
  run = RunVersion(Program());
  EXPECT_EQ(run.result, kSum);
  EXPECT_EQ(run.compiled, 0u) << "the earlier version's own objects are still there";
}

TEST_P(EarlierVersionTest, ChangesAddUp) {
  std::string text = Program();
  RunVersion(text);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(absl::StrReplaceAll({{absl::StrCat("add i64 %x, ", i, "\n"),
                                    absl::StrCat("add i64 %x, ", i + 1, "\n")}},
                                  &text),
              i + 1);
    const Run run = RunVersion(text);
    // The version before has what the one before that had.
    EXPECT_EQ(run.compiled, static_cast<size_t>(i) + 1);
  }
}

TEST_P(EarlierVersionTest, SoIsWhatInlinedIt) {
  RunVersion(Program());
  Run run = RunVersion(Replace("%r = add i64 %x, 100", "%r = add i64 %x, 200"));
  EXPECT_EQ(run.result, kSum + 200);
  EXPECT_EQ(run.compiled, 2u) << "f3 and f4";
}

TEST_P(EarlierVersionTest, WhatTheOptimizerMayInlineCounts) {
  RunVersion(Program());
  Run run = RunVersion(Replace("%r = add i64 %x, 10 ", "%r = add i64 %x, 20 "));
  EXPECT_EQ(run.result, kSum + 10);
  EXPECT_EQ(run.compiled, GetParam() == Tier::kOne ? 1u : 2u)
      << "f5, into which it was inlined, or with which it was compiled";
}

// What the numbers in a body mean may be something else.
TEST_P(EarlierVersionTest, AChangeOfTheDataCompilesEverything) {
  RunVersion(Program());
  Run run = RunVersion(Replace("global i64 1000", "global i64 2000"));
  EXPECT_EQ(run.result, kSum + 1000);
  EXPECT_EQ(run.compiled, All());
}

TEST_P(EarlierVersionTest, DamagedEntriesAreMisses) {
  RunVersion(Program());
  const std::string changed = Replace("%y = add i64 %x, 7\n", "%y = add i64 %x, 8\n");
  cache_->ReplaceAll("bodies\n", "nonsense");
  Run run = RunVersion(changed);
  EXPECT_EQ(run.result, kSum + 1);
  EXPECT_EQ(run.compiled, All());
  cache_->ReplaceAll("last version\n", "nonsense");
  run = RunVersion(Replace("%y = add i64 %x, 7\n", "%y = add i64 %x, 9\n"));
  EXPECT_EQ(run.result, kSum + 2);
  EXPECT_EQ(run.compiled, All());
}

TEST_P(EarlierVersionTest, EagerModeHasNoVersions) {
  if (GetParam() != Tier::kZero) GTEST_SKIP() << "has no tiers, either";
  RunVersion(Program(), Mode::kEager);
  Run run = RunVersion(Replace("%y = add i64 %x, 7\n", "%y = add i64 %x, 8\n"), Mode::kEager);
  EXPECT_EQ(run.result, kSum + 1);
  EXPECT_EQ(cache_->Objects("bodies\n").size(), 0u);
}

}  // namespace
}  // namespace firstcall
