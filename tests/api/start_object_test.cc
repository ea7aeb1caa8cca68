// The start object: what one run has used, the next one links at once.

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/api/memory_cache.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::SizeIs;

constexpr int kFunctions = 20;

extern "C" void firstcall_test_throw_start(int64_t number) { throw number; }

// f0 calls f1, and so on, but only under a condition, so that each has an object of its own; the
// last one throws for 0. Each adds its number.
std::string Program() {
  std::string text =
      "declare void @firstcall_test_throw_start(i64)\n@base = internal global i64 1000\n";
  for (int i = 0; i < kFunctions; ++i) {
    const std::string function = absl::StrCat("f", i);
    absl::StrAppend(&text, i % 3 == 1 ? "define internal" : "define", " i64 @", function,
                    "(i64 %x) noinline {\n  %b = load i64, ptr @base\n");
    if (i + 1 < kFunctions) {
      absl::StrAppend(&text,
                      "  %c = icmp eq i64 %x, 424242\n  br i1 %c, label %end, label %call\n"
                      "call:\n  %z = call i64 @f",
                      i + 1,
                      "(i64 %x)\n  br label %end\nend:\n"
                      "  %y = phi i64 [ %b, %0 ], [ %z, %call ]\n");
    } else {
      absl::StrAppend(&text,
                      "  %c = icmp eq i64 %x, 0\n  br i1 %c, label %throw, label %end\nthrow:\n"
                      "  call void @firstcall_test_throw_start(i64 77)\n  br label %end\nend:\n"
                      "  %y = add i64 %x, %b\n");
    }
    absl::StrAppend(&text, "  %r = add i64 %y, ", i, "\n  ret i64 %r\n}\n");
  }
  return absl::StrCat(text, "define i64 @unused(i64 %x) {\n  ret i64 %x\n}\n");
}

constexpr int64_t kSum = 1000 + kFunctions * (kFunctions - 1) / 2;

class StartObjectTest : public ::testing::TestWithParam<Tier> {
 protected:
  void Begin() {
    engine_ = nullptr;
    EngineOptions options;
    options.tier = GetParam();
    options.object_cache = cache_;
    engine_ = Engine::Create(std::move(options)).value();
    id_ = engine_->AddBitcode(ParseToBitcode(Program()), "program").value();
  }

  int64_t Call(const std::string& name, int64_t argument) {
    return engine_->Lookup<int64_t(int64_t)>(name).value()(argument);
  }

  // A run that leaves a start object.
  void RunOnce() {
    Begin();
    EXPECT_EQ(Call("f0", 5), 5 + kSum);
    engine_ = nullptr;
    EXPECT_THAT(cache_->Objects("start\n"), SizeIs(1));
  }

  const std::shared_ptr<MemoryCache> cache_ = std::make_shared<MemoryCache>();
  std::unique_ptr<Engine> engine_;
  ModuleId id_;
};

INSTANTIATE_TEST_SUITE_P(Tiers, StartObjectTest,
                         ::testing::Values(Tier::kZero, Tier::kOne, Tier::kAuto));

TEST_P(StartObjectTest, TheSecondRunLinksOneObject) {
  RunOnce();
  const int stores = cache_->stores();
  Begin();
  EXPECT_EQ(Call("f0", 7), 7 + kSum);
  EXPECT_EQ(engine_->stats().functions_compiled, 0u);
  EXPECT_EQ(engine_->stats().functions_cached, static_cast<size_t>(kFunctions));
  EXPECT_EQ(engine_->stats().objects_linked, 2u) << "the functions, and the data";
  EXPECT_EQ(Call("f12", 1), 1 + 1000 + kFunctions * (kFunctions - 1) / 2 - 12 * 11 / 2);
  EXPECT_EQ(engine_->stats().objects_linked, 2u);
  engine_ = nullptr;
  EXPECT_EQ(cache_->stores(), stores) << "a run that uses what is there stores nothing";
}

TEST_P(StartObjectTest, WhatIsNewIsStillLazy) {
  RunOnce();
  Begin();
  EXPECT_EQ(Call("unused", 3), 3);
  EXPECT_EQ(engine_->stats().functions_compiled, 1u);
  EXPECT_EQ(engine_->stats().functions_cached, 0u);
  EXPECT_EQ(Call("f3", 5), 5 + kSum - 3);
  EXPECT_EQ(engine_->stats().functions_compiled, 1u);
}

TEST_P(StartObjectTest, ExceptionsPassThroughItsFunctions) {
  RunOnce();
  Begin();
  EXPECT_THROW(Call("f0", 0), int64_t);
  EXPECT_EQ(Call("f0", 2), 2 + kSum);
}

TEST_P(StartObjectTest, DamageIsAMiss) {
  RunOnce();
  for (const std::string& damaged :
       {std::string(), std::string("nonsense"), cache_->Objects("start\n")[0].substr(0, 2000),
        cache_->Objects("start\n")[0] + "x"}) {
    cache_->ReplaceAll("start\n", damaged);
    Begin();
    EXPECT_EQ(Call("f0", 7), 7 + kSum);
    EXPECT_EQ(engine_->stats().functions_compiled, 0u);
    EXPECT_EQ(engine_->stats().functions_cached, static_cast<size_t>(kFunctions));
  }
  engine_ = nullptr;
  // The last run has made it again.
  Begin();
  EXPECT_EQ(Call("f0", 7), 7 + kSum);
  EXPECT_EQ(engine_->stats().objects_linked, 2u);
}

TEST_P(StartObjectTest, ItsFunctionsAreRemovedAndDetachedWithTheModule) {
  RunOnce();
  Begin();
  EXPECT_EQ(Call("f0", 7), 7 + kSum);
  const size_t used = engine_->stats().memory.used.total();
  EXPECT_THAT(engine_->Remove(id_), IsOk());
  EXPECT_LT(engine_->stats().memory.used.total(), used);
  id_ = engine_->AddBitcode(ParseToBitcode(Program()), "program").value();
  EXPECT_EQ(Call("f0", 8), 8 + kSum);
  auto* function = engine_->Lookup<int64_t(int64_t)>("f2").value();
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<DetachedCode> detached, engine_->Detach(id_));
  engine_ = nullptr;
  EXPECT_EQ(function(3), 3 + kSum - 1);
}

TEST_P(StartObjectTest, ManyThreadsBeginAtOnce) {
  RunOnce();
  for (int round = 0; round < 10; ++round) {
    Begin();
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([this, i] {
        const int first = i * 2 - (i * 2) % 3;  // Not internal.
        const int64_t before = first * (first - 1) / 2;
        EXPECT_EQ(Call(absl::StrCat("f", first), 9), 9 + kSum - before);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(engine_->stats().functions_compiled, 0u);
  }
}

// In one run, another module replaces a weak definition that the functions call.
TEST_P(StartObjectTest, IsMadeAgainWhenAnotherDefinitionCounted) {
  std::string text = "define weak i64 @weak() {\n  ret i64 1\n}\n";
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) {\n  %w = call i64 @weak()\n",
                    "  %r = add i64 %w, %x\n  ret i64 %r\n}\n");
  }
  const auto run = [&](int functions, bool has_strong) {
    engine_ = nullptr;
    EngineOptions options;
    options.tier = GetParam();
    options.object_cache = cache_;
    engine_ = Engine::Create(std::move(options)).value();
    if (has_strong) {
      EXPECT_THAT(
          engine_->AddBitcode(ParseToBitcode("define i64 @weak() {\n  ret i64 2\n}\n"), "strong"),
          IsOk());
    }
    EXPECT_THAT(engine_->AddBitcode(ParseToBitcode(text), "program"), IsOk());
    for (int i = 0; i < functions; ++i) {
      EXPECT_EQ(Call(absl::StrCat("f", i), i), i + (has_strong ? 2 : 1));
    }
    return engine_->stats().objects_linked;
  };
  run(kFunctions / 2, /*has_strong=*/false);
  EXPECT_EQ(run(kFunctions / 2, /*has_strong=*/false), 1u);
  run(kFunctions, /*has_strong=*/true);
  run(kFunctions, /*has_strong=*/false);
  EXPECT_EQ(run(kFunctions, /*has_strong=*/false), 1u);
}

TEST_P(StartObjectTest, TooFewFunctionsMakeNone) {
  Begin();
  EXPECT_EQ(Call("f17", 5), 5 + 1000 + 17 + 18 + 19);
  engine_ = nullptr;
  EXPECT_THAT(cache_->Objects("start\n"), SizeIs(0));
}

}  // namespace
}  // namespace firstcall
