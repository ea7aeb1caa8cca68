// Optimized bodies that use what was inferred of their callees: programs in which a wrong fact
// would be seen. The callees cannot be inlined, and write to a variable that the program reads.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/api/memory_cache.h"
#include "tests/api/promotion.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr int64_t kRounds = 50;

int64_t stand_ins = 0;
int64_t StandIn(int64_t argument) {
  ++stand_ins;
  return argument;
}

class FactsTest : public ::testing::Test {
 protected:
  FactsTest() {
    options_.promotion.threads = 0;
    options_.promotion.threshold = 10;
    options_.object_cache = cache_;
  }

  void Begin() { engine_ = Engine::Create(options_).value(); }

  void Add(const std::string& text, const std::string& name) {
    EXPECT_THAT(engine_->AddBitcode(ParseToBitcode(text), name).status(), IsOk());
  }

  int64_t Call(absl::string_view name, int64_t argument = 0) {
    return engine_->Lookup<int64_t(int64_t)>(name).value()(argument);
  }

  // Calls `f` until its body is an optimized one; then once more. Returns how often a callee was
  // called in that call, as far as it tells by `count`.
  int64_t CallsOfCallee() {
    EXPECT_TRUE(
        DoUntil([&] { return HotnessOf(*engine_, "f").tier == 1; }, [&] { Call("f", kRounds); }));
    const int64_t before = Call("count");
    Call("f", kRounds);
    return Call("count") - before;
  }

  // The number of functions of which the optimized body of `f` uses facts.
  size_t FactsUsed() const {
    size_t facts = 0;
    for (const PromotionStep& step : HotnessOf(*engine_, "f").steps) facts += step.facts;
    return facts;
  }

  EngineOptions options_;
  std::shared_ptr<MemoryCache> cache_ = std::make_shared<MemoryCache>();
  std::unique_ptr<Engine> engine_;
};

// `f` calls `g` for each round, and `g` calls `h`. The module has enough functions for versions.
std::string Program(absl::string_view body_of_h) {
  std::string text = absl::StrCat(R"(
    @calls = internal global i64 0
    define i64 @count(i64 %x) { %c = load i64, ptr @calls ret i64 %c }
    define void @reset() { store i64 0, ptr @calls ret void }
    define internal i64 @h(i64 %x) noinline { )",
                                  body_of_h, R"( }
    define internal i64 @g(i64 %x) noinline { %y = call i64 @h(i64 %x) ret i64 %y })",
                                  TextOfSum("@f(i64 %n)", "%y = call i64 @g(i64 1)"));
  for (int i = 0; i < 8; ++i) {
    absl::StrAppend(&text, "define i64 @other", i, "(i64 %x) { ret i64 %x }\n");
  }
  return text;
}

constexpr char kPure[] = "ret i64 %x";
constexpr char kCounts[] = R"(
    %c = load i64, ptr @calls
    %d = add i64 %c, 1
    store i64 %d, ptr @calls
    ret i64 %x)";

TEST_F(FactsTest, ALoopCallsAFunctionThatDoesNothingButComputeAtMostOnce) {
  Begin();
  Add(Program(kPure), "program");
  EXPECT_EQ(CallsOfCallee(), 0);
  EXPECT_GT(FactsUsed(), 0u);
  EXPECT_EQ(Call("f", kRounds), kRounds);
}

TEST_F(FactsTest, AFunctionThatWritesIsCalledInEachRound) {
  Begin();
  Add(Program(kCounts), "program");
  EXPECT_EQ(CallsOfCallee(), kRounds);
}

TEST_F(FactsTest, AnOptimizedBodyInTheCacheIsNotUsedIfWhatItsFactsRestOnHasChanged) {
  Begin();
  Add(Program(kPure), "program");
  EXPECT_EQ(CallsOfCallee(), 0);
  Begin();
  Add(Program(kCounts), "program");
  EXPECT_EQ(Call("f", kRounds), kRounds);
  EXPECT_EQ(Call("count"), kRounds);
}

std::string WeakProgram(absl::string_view body_of_g) {
  return absl::StrCat("define linkonce_odr i64 @g(i64 %x) noinline { ", body_of_g, " }\n",
                      TextOfSum("@f(i64 %n)", "%y = call i64 @g(i64 1)"));
}

std::string OtherDefinition(absl::string_view linkage) {
  return absl::StrCat(R"(
    @calls = internal global i64 0
    define i64 @count(i64 %x) { %c = load i64, ptr @calls ret i64 %c }
    define )",
                      linkage, " i64 @g(i64 %x) noinline {", kCounts, "}");
}

TEST_F(FactsTest, ADefinitionThatIsReplacedSaysNothingOfTheOneThatIsCalled) {
  Begin();
  Add(OtherDefinition("linkonce_odr"), "first");
  Add(WeakProgram(kPure), "second");
  EXPECT_EQ(CallsOfCallee(), kRounds);
}

TEST_F(FactsTest, AnOptimizedBodyInTheCacheIsNotUsedWhereAnotherDefinitionIsCalled) {
  Begin();
  Add(WeakProgram(kPure), "second");
  EXPECT_TRUE(
      DoUntil([&] { return HotnessOf(*engine_, "f").tier == 1; }, [&] { Call("f", kRounds); }));
  EXPECT_GT(FactsUsed(), 0u);
  Begin();
  Add(OtherDefinition("linkonce_odr"), "first");
  Add(WeakProgram(kPure), "second");
  EXPECT_EQ(Call("f", kRounds), kRounds);
  EXPECT_EQ(Call("count"), kRounds);
}

TEST_F(FactsTest, AModuleThatIsAddedLaterDoesNotChangeWhatIsCalled) {
  Begin();
  Add(WeakProgram(kPure), "first");
  EXPECT_EQ(Call("f", 3), 3);
  Add(OtherDefinition(""), "second");
  EXPECT_EQ(CallsOfCallee(), 0);
}

// What a failure handler returns is called in place of the function.
TEST_F(FactsTest, WithAFailureHandlerEachCallCounts) {
  options_.failure_handler = [](const FailedCall&) { return reinterpret_cast<void*>(&StandIn); };
  Begin();
  Add(absl::StrCat(R"(
        @missing = external global i64
        define i64 @g(i64 %x) noinline { %y = load i64, ptr @missing ret i64 %y })",
                   TextOfSum("@f(i64 %n)", "%y = call i64 @g(i64 1)")),
      "program");
  EXPECT_TRUE(
      DoUntil([&] { return HotnessOf(*engine_, "f").tier == 1; }, [&] { Call("f", kRounds); }));
  EXPECT_EQ(FactsUsed(), 0u);
  stand_ins = 0;
  EXPECT_EQ(Call("f", kRounds), kRounds);
  EXPECT_EQ(stand_ins, kRounds);
}

}  // namespace
}  // namespace firstcall
