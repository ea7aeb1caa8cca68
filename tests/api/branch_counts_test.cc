// Where branches go is counted, and told to the optimizer, for the right branches. Also the test of
// backend/llvm/branch_counting and backend/llvm/branch_profile.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "backend/llvm/branch_counting.h"
#include "backend/llvm/branch_profile.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ProfDataUtils.h"
#include "runtime/promotion/branch_counter_block.h"
#include "tests/api/promotion.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kCounters[] = "walk$counts";

// Each branch has other numbers than all others: for x below n, a third of the rounds goes to
// %third, a half to %even, and so on. Some edges are critical, and %tail has no counter of its own.
constexpr char kWalk[] = R"(
  define i64 @walk(i64 %n) {
  entry:
    %none = icmp sle i64 %n, 0
    br i1 %none, label %end, label %loop
  loop:
    %x = phi i64 [ 0, %entry ], [ %next, %latch ]
    %a = phi i64 [ 0, %entry ], [ %a4, %latch ]
    %r3 = urem i64 %x, 3
    %is3 = icmp eq i64 %r3, 0
    br i1 %is3, label %third, label %tail
  third:
    %a1 = add i64 %a, 1
    br label %tail
  tail:
    %a2 = phi i64 [ %a, %loop ], [ %a1, %third ]
    %r10 = urem i64 %x, 10
    switch i64 %r10, label %latch [
      i64 1, label %one
      i64 2, label %two
      i64 3, label %two
      i64 9, label %nine
    ]
  one:
    br label %latch
  two:
    %is22 = icmp sgt i64 %x, 100
    br i1 %is22, label %late, label %latch
  late:
    br label %latch
  nine:
    %a3 = mul i64 %a2, 2
    br label %latch
  latch:
    %a4 = phi i64 [ %a2, %tail ], [ 7, %one ], [ %a2, %two ], [ 3, %late ], [ %a3, %nine ]
    %next = add i64 %x, 1
    %more = icmp slt i64 %next, %n
    br i1 %more, label %loop, label %end
  end:
    %r = phi i64 [ 0, %entry ], [ %a4, %latch ]
    ret i64 %r
  })";

// The weights of the branch at the end of `block`; empty if it has none.
std::vector<uint32_t> WeightsOf(const llvm::Function& function, llvm::StringRef block) {
  for (const llvm::BasicBlock& candidate : function) {
    if (candidate.getName() != block) continue;
    llvm::SmallVector<uint32_t> weights;
    llvm::extractBranchWeights(*candidate.getTerminator(), weights);
    return {weights.begin(), weights.end()};
  }
  return {};
}

bool HasSummary(const llvm::Module& module) {
  return module.getProfileSummary(/*IsCS=*/false) != nullptr;
}

// Runs the counting @walk for each of `arguments`, and returns what it has counted.
BranchCounts CountWalk(Baseline baseline, const std::vector<int64_t>& arguments) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(kWalk, context);
  const std::optional<BranchCounters> counters =
      CountBranches(*module->getFunction("walk"), kCounters);
  EXPECT_TRUE(counters.has_value());
  EngineOptions options;
  options.tier = Tier::kZero;
  options.baseline = baseline;
  const std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  EXPECT_THAT(engine->AddBitcode(ModuleToBitcode(*module), "counting"), IsOk());
  auto* walk = engine->Lookup<int64_t(int64_t)>("walk").value();
  for (int64_t argument : arguments) walk(argument);
  const BranchCounterBlock block(*counters,
                                 ExecutorAddress::Of(engine->LookupAddress(kCounters).value()));
  return block.Read(SymbolOrdinal{0}, [](ExecutorAddress) { return std::nullopt; });
}

class BranchCountingTest : public ::testing::TestWithParam<Baseline> {};

INSTANTIATE_TEST_SUITE_P(Generators, BranchCountingTest,
                         ::testing::Values(Baseline::kStrict, Baseline::kOff),
                         [](const auto& baseline) {
                           return baseline.param == Baseline::kOff ? "Llvm" : "Baseline";
                         });

// 3000 rounds in one call, and two calls without any.
TEST_P(BranchCountingTest, EachBranchGetsItsOwnCounts) {
  const BranchCounts counts = CountWalk(GetParam(), {3000, 0, -5});
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(kWalk, context);
  llvm::Function& walk = *module->getFunction("walk");
  UseBranchCounts(*module, walk, {{&walk, &counts}});
  EXPECT_THAT(WeightsOf(walk, "entry"), ElementsAre(2, 1));
  EXPECT_THAT(WeightsOf(walk, "loop"), ElementsAre(1000, 2000));
  // The default, 1, 2, 3, 9.
  EXPECT_THAT(WeightsOf(walk, "tail"), ElementsAre(1800, 300, 300, 300, 300));
  EXPECT_THAT(WeightsOf(walk, "two"), ElementsAre(580, 20));
  EXPECT_THAT(WeightsOf(walk, "latch"), ElementsAre(2999, 1));
  ASSERT_TRUE(walk.getEntryCount().has_value());
  EXPECT_EQ(walk.getEntryCount()->getCount(), 3);
  EXPECT_TRUE(HasSummary(*module));
}

TEST_P(BranchCountingTest, CountingDoesNotChangeResults) {
  const auto walk_of = [&](const std::string& bitcode) {
    EngineOptions options;
    options.tier = Tier::kZero;
    options.baseline = GetParam();
    std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
    EXPECT_THAT(engine->AddBitcode(bitcode, "walk"), IsOk());
    return engine;
  };
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(kWalk, context);
  const auto plain = walk_of(ModuleToBitcode(*module));
  ASSERT_TRUE(CountBranches(*module->getFunction("walk"), kCounters).has_value());
  const auto counting = walk_of(ModuleToBitcode(*module));
  for (int64_t n : {-1, 0, 1, 2, 9, 10, 11, 101, 105, 1000}) {
    EXPECT_EQ(plain->Lookup<int64_t(int64_t)>("walk").value()(n),
              counting->Lookup<int64_t(int64_t)>("walk").value()(n))
        << n;
  }
}

TEST(BranchProfileTest, OtherFunctionsThanTheRootGetNoNumberOfEntries) {
  const BranchCounts counts = CountWalk(Baseline::kOn, {3000});
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module =
      ParseModule(absl::StrCat(kWalk, "define void @root() { ret void }"), context);
  llvm::Function& walk = *module->getFunction("walk");
  UseBranchCounts(*module, *module->getFunction("root"), {{&walk, &counts}});
  EXPECT_THAT(WeightsOf(walk, "loop"), ElementsAre(1000, 2000));
  EXPECT_FALSE(walk.getEntryCount().has_value());
  EXPECT_FALSE(HasSummary(*module));
  EXPECT_FALSE(walk.hasFnAttribute(llvm::Attribute::Hot));
}

TEST(BranchProfileTest, TooFewCountsAreNotUsed) {
  const BranchCounts counts = CountWalk(Baseline::kOn, {50});
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(kWalk, context);
  llvm::Function& walk = *module->getFunction("walk");
  UseBranchCounts(*module, walk, {{&walk, &counts}});
  EXPECT_THAT(WeightsOf(walk, "loop"), IsEmpty());
  EXPECT_FALSE(HasSummary(*module));
}

TEST(BranchProfileTest, CountsOfAnotherShapeAreNotUsed) {
  BranchCounts counts = CountWalk(Baseline::kOn, {3000});
  ++counts.shape;
  llvm::LLVMContext context;
  context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo*, void*) {});
  const std::unique_ptr<llvm::Module> module = ParseModule(kWalk, context);
  llvm::Function& walk = *module->getFunction("walk");
  UseBranchCounts(*module, walk, {{&walk, &counts}});
  EXPECT_THAT(WeightsOf(walk, "loop"), IsEmpty());
  EXPECT_FALSE(walk.getEntryCount().has_value());
  EXPECT_FALSE(HasSummary(*module));
}

// A function that has been entered once, and is still running, is not cold.
TEST(BranchProfileTest, WhatHasNotReturnedYetHasBeenEntered) {
  BranchCounts counts = CountWalk(Baseline::kOn, {3000});
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(kWalk, context);
  llvm::Function& walk = *module->getFunction("walk");
  UseBranchCounts(*module, walk, {{&walk, &counts}});
  EXPECT_EQ(walk.getEntryCount()->getCount(), 1);
}

TEST(BranchCountingWithoutEngineTest, WhatCannotBeCountedStaysAsItIs) {
  for (const char* text : {"define i64 @f(i64 %x) { ret i64 %x }",
                           R"(define i64 @f(ptr %where) {
                             entry:
                               indirectbr ptr %where, [label %a, label %b]
                             a:
                               ret i64 1
                             b:
                               ret i64 2
                             })"}) {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
    const std::string before = PrintModule(*module);
    EXPECT_EQ(CountBranches(*module->getFunction("f"), kCounters), std::nullopt);
    EXPECT_EQ(PrintModule(*module), before);
  }
}

// --- In an engine ---

// Remembers the branch weights with which functions were optimized.
class Weights final : public Listener {
 public:
  bool sees_modules() const override { return true; }
  void OnModuleMade(const llvm::Module& module) override {
    for (const llvm::Function& function : module) {
      if (function.isDeclaration() || !function.getEntryCount()) continue;
      absl::MutexLock lock(&mutex_);
      entries_[function.getName().str()] = function.getEntryCount()->getCount();
    }
  }
  // The number of entries that the optimizer was told; 0 if it was told none.
  uint64_t EntriesOf(const std::string& function) {
    absl::MutexLock lock(&mutex_);
    return entries_[function];
  }

 private:
  absl::Mutex mutex_;
  std::map<std::string, uint64_t> entries_ ABSL_GUARDED_BY(mutex_);
};

// step(x) has no loop. run(n) calls it n times.
constexpr char kStep[] = R"(
  @last = global i64 0
  define i64 @step(i64 %x) noinline {
    %r = urem i64 %x, 7
    %rare = icmp eq i64 %r, 0
    br i1 %rare, label %a, label %b
  a:
    %y = mul i64 %x, 3
    store volatile i64 %y, ptr @last
    ret i64 %y
  b:
    %z = add i64 %x, 1
    ret i64 %z
  }
)";

std::string Program() {
  return absl::StrCat(kStep, TextOfSum("@run(i64 %n)", "%y = call i64 @step(i64 %x)"));
}

int64_t SumOfSteps(int64_t n) {
  int64_t sum = 0;
  for (int64_t x = 0; x < n; ++x) sum += x % 7 == 0 ? 3 * x : x + 1;
  return sum;
}

class BranchCountsTest : public ::testing::Test {
 protected:
  void Create(const std::function<void(EngineOptions&)>& change = [](EngineOptions&) {}) {
    EngineOptions options;
    options.tier = Tier::kAuto;
    SetWay(PromotionWay::kThreadLooks, options.promotion);
    options.promotion.threshold = 1000;
    options.listeners.push_back(weights_);
    change(options);
    engine_ = Engine::Create(std::move(options)).value();
    ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(Program()), "program"), IsOk());
  }

  // Calls run until it and step are promoted. Returns whether all results were right.
  bool RunUntilPromoted() {
    auto* run = engine_->Lookup<int64_t(int64_t)>("run").value();
    bool is_right = true;
    EXPECT_TRUE(DoUntil(
        [&] {
          return HotnessOf(*engine_, "run").tier == 1 && HotnessOf(*engine_, "step").tier == 1;
        },
        [&] { is_right = is_right && run(100) == SumOfSteps(100); }));
    return is_right;
  }

  // What the counting body of `function` has counted when its optimized body was made.
  uint64_t CountsOf(absl::string_view function) {
    for (const PromotionStep& step : HotnessOf(*engine_, function).steps) {
      if (!step.is_continuation) return step.counts;
    }
    return 0;
  }

  const std::shared_ptr<Weights> weights_ = std::make_shared<Weights>();
  std::unique_ptr<Engine> engine_;
};

TEST_F(BranchCountsTest, OptimizerIsToldWhatWasCounted) {
  Create();
  EXPECT_TRUE(RunUntilPromoted());
  EXPECT_GT(CountsOf("step"), 0);
  EXPECT_GT(CountsOf("run"), 0);
  EXPECT_GT(weights_->EntriesOf("step"), 0);
}

TEST_F(BranchCountsTest, WithoutTheOptionNothingIsCounted) {
  Create([](EngineOptions& options) { options.promotion.counts_branches = false; });
  EXPECT_TRUE(RunUntilPromoted());
  EXPECT_EQ(CountsOf("step"), 0);
  EXPECT_EQ(weights_->EntriesOf("step"), 0);
}

// Its counting bodies are made by the baseline code generator only.
TEST_F(BranchCountsTest, WithoutTheBaselineNothingIsCounted) {
  Create([](EngineOptions& options) { options.baseline = Baseline::kOff; });
  EXPECT_TRUE(RunUntilPromoted());
  EXPECT_EQ(CountsOf("step"), 0);
}

// A call that runs in the counting body is left for a continuation, like one in a first body. On a
// slow machine the calls of run may be enough for an optimized body, which leaves no loop to leave:
// then a new engine begins anew, and the calls take longer.
TEST_F(BranchCountsTest, CountingBodyIsLeftWhileItRuns) {
  int64_t n = 1000;
  EXPECT_TRUE(DoUntil([&] { return HotnessOf(*engine_, "run").loops_entered > 0; },
                      [&] {
                        if (engine_ == nullptr || HotnessOf(*engine_, "run").tier == 1) Create();
                        auto* run = engine_->Lookup<int64_t(int64_t)>("run").value();
                        n = std::min<int64_t>(2 * n, 100'000'000);
                        ASSERT_EQ(run(n), SumOfSteps(n));
                      }));
}

// sum(n) is 0 + 1 + ... + n - 1, with its variables in memory, which simplifying removes. outer(n)
// calls it.
constexpr char kImported[] = R"(
  define i64 @sum(i64 %n) {
  entry:
    %i = alloca i64
    %sum = alloca i64
    store i64 0, ptr %i
    store i64 0, ptr %sum
    br label %loop
  loop:
    %i1 = load i64, ptr %i
    %more = icmp slt i64 %i1, %n
    br i1 %more, label %body, label %end
  body:
    %s1 = load i64, ptr %sum
    %s2 = add i64 %s1, %i1
    store i64 %s2, ptr %sum
    %i2 = add i64 %i1, 1
    store i64 %i2, ptr %i
    br label %loop
  end:
    %r = load i64, ptr %sum
    ret i64 %r
  }
  define i64 @outer(i64 %n) {
    %positive = icmp sgt i64 %n, 0
    br i1 %positive, label %yes, label %no
  yes:
    %s = call i64 @sum(i64 %n)
    ret i64 %s
  no:
    ret i64 0
  })";

// Its loops are those of the function as it was read: continuations are made from that.
TEST_F(BranchCountsTest, CountingBodyOfWhatWasImportedIsLeftWhileItRuns) {
  Create();
  ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(kImported), "imported"), IsOk());
  auto* outer = engine_->Lookup<int64_t(int64_t)>("outer").value();
  EXPECT_TRUE(DoUntil([&] { return HotnessOf(*engine_, "outer").tier == 1; }, [&] { outer(1); }));
  auto* sum = engine_->Lookup<int64_t(int64_t)>("sum").value();
  int64_t n = 1000;
  const auto is_better = [&] {
    const FunctionHotness hotness = HotnessOf(*engine_, "sum");
    return hotness.loops_entered > 0 || hotness.tier == 1;
  };
  EXPECT_TRUE(DoUntil(is_better, [&] {
    n = std::min<int64_t>(2 * n, 100'000'000);
    ASSERT_EQ(sum(n), n * (n - 1) / 2);
  }));
}

TEST_F(BranchCountsTest, ModuleIsRemovedWhileItCounts) {
  for (int i = 0; i < 20; ++i) {
    Create();
    auto* run = engine_->Lookup<int64_t(int64_t)>("run").value();
    for (int j = 0; j < 50 * i; ++j) ASSERT_EQ(run(100), SumOfSteps(100));
    engine_ = nullptr;
  }
}

}  // namespace
}  // namespace firstcall
