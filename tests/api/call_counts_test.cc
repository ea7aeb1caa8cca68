// What indirect calls call is counted, and guarded and inlined where it is mostly the same. Also
// the test of backend/llvm/call_counting, backend/llvm/call_guards and compiler/counted_calls.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backend/llvm/branch_counting.h"
#include "backend/llvm/branch_profile.h"
#include "backend/llvm/call_counting.h"
#include "backend/llvm/call_guards.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "object/symbol_name.h"
#include "runtime/promotion/branch_counter_block.h"
#include "tests/api/memory_cache.h"
#include "tests/api/promotion.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

// --- Counting ---

constexpr char kCounters[] = "counts";

// @f has no branches, and two indirect calls.
constexpr char kCaller[] = R"(
  define i64 @t0(i64 %x) { ret i64 %x }
  define i64 @t1(i64 %x) { %y = add i64 %x, 1 ret i64 %y }
  define i64 @t2(i64 %x) { %y = mul i64 %x, 2 ret i64 %y }
  define i64 @t3(i64 %x) { %y = mul i64 %x, 3 ret i64 %y }
  define i64 @t4(i64 %x) { %y = mul i64 %x, 4 ret i64 %y }
  define i64 @t5(i64 %x) { %y = mul i64 %x, 5 ret i64 %y }
  define i64 @t6(i64 %x) { %y = mul i64 %x, 6 ret i64 %y }
  define i64 @t7(i64 %x) { %y = mul i64 %x, 7 ret i64 %y }
)";
constexpr char kF[] = R"(
  define i64 @f(ptr %first, ptr %second, i64 %x) {
    %y = call i64 %first(i64 %x)
    %z = call i64 %second(i64 %y)
    ret i64 %z
  }
)";

class CallCountingTest : public ::testing::TestWithParam<Baseline> {
 protected:
  using Target = int64_t(int64_t);

  void SetUp() override {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = ParseModule(kF, context);
    counters_ = CountBranches(*module->getFunction("f"), kCounters);
    ASSERT_TRUE(counters_.has_value());
    EngineOptions options;
    options.tier = Tier::kZero;
    options.baseline = GetParam();
    engine_ = Engine::Create(std::move(options)).value();
    ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(kCaller), "targets"), IsOk());
    ASSERT_THAT(engine_->AddBitcode(ModuleToBitcode(*module), "counting"), IsOk());
    f_ = engine_->Lookup<int64_t(Target*, Target*, int64_t)>("f").value();
    for (int i = 0; i < 8; ++i) {
      targets_.push_back(engine_->Lookup<Target>(absl::StrCat("t", i)).value());
    }
  }

  // @t<n> has ordinal n, unless it is `unknown`.
  BranchCounts Read(int unknown = -1) const {
    const BranchCounterBlock block(*counters_,
                                   ExecutorAddress::Of(engine_->LookupAddress(kCounters).value()));
    return block.Read(SymbolOrdinal{100},
                      [&](ExecutorAddress address) -> std::optional<CallTarget> {
                        for (uint32_t i = 0; i < targets_.size(); ++i) {
                          if (address.InThisProcess<Target*>() != targets_[i]) continue;
                          if (static_cast<int>(i) == unknown) return std::nullopt;
                          CallTarget target;
                          target.function = SymbolOrdinal{i / same_};
                          return target;
                        }
                        ADD_FAILURE() << address.value() << " was never called";
                        return std::nullopt;
                      });
  }

  // So many targets that follow each other count as one function.
  uint32_t same_ = 1;
  std::optional<BranchCounters> counters_;
  std::unique_ptr<Engine> engine_;
  int64_t (*f_)(Target*, Target*, int64_t) = nullptr;
  std::vector<Target*> targets_;
};

INSTANTIATE_TEST_SUITE_P(Generators, CallCountingTest,
                         ::testing::Values(Baseline::kStrict, Baseline::kOff),
                         [](const auto& baseline) {
                           return baseline.param == Baseline::kOff ? "Llvm" : "Baseline";
                         });

auto IsTarget(uint32_t function, uint64_t least, uint64_t most) {
  return AllOf(Field(&CallTarget::function, SymbolOrdinal{function}),
               Field(&CallTarget::count, Ge(least)), Field(&CallTarget::count, Le(most)));
}

TEST_P(CallCountingTest, FewTargetsAreCountedExactly) {
  for (int i = 0; i < 1000; ++i) {
    const int first = i % 10 < 5 ? 0 : i % 10 < 9 ? 1 : 2;
    ASSERT_EQ(f_(targets_[first], targets_[3], 7), 3 * (first == 0 ? 7 : first == 1 ? 8 : 14));
  }
  const BranchCounts counts = Read();
  ASSERT_THAT(counts.calls, SizeIs(2));
  EXPECT_EQ(counts.calls[0].count, 1000);
  EXPECT_THAT(counts.calls[0].targets,
              ElementsAre(IsTarget(0, 500, 500), IsTarget(1, 400, 400), IsTarget(2, 100, 100)));
  EXPECT_EQ(counts.calls[1].count, 1000);
  EXPECT_THAT(counts.calls[1].targets, ElementsAre(IsTarget(3, 1000, 1000)));
}

// The frequent one comes last each time, after all places are taken.
TEST_P(CallCountingTest, FrequentTargetIsFoundAmongMany) {
  for (int i = 0; i < 1400; ++i) f_(targets_[i % 14 < 7 ? i % 7 : 7], targets_[0], 1);
  const CallCounts call = Read().calls[0];
  EXPECT_EQ(call.count, 1400);
  EXPECT_THAT(call.targets, Contains(IsTarget(7, 350, 1050)));
}

TEST_P(CallCountingTest, UnknownTargetsCountForTheTotalOnly) {
  for (int i = 0; i < 1000; ++i) f_(targets_[i % 4 == 0 ? 1 : 5], targets_[0], 1);
  const CallCounts call = Read(/*unknown=*/5).calls[0];
  EXPECT_EQ(call.count, 1000);
  EXPECT_THAT(call.targets, ElementsAre(IsTarget(1, 250, 250)));
}

TEST_P(CallCountingTest, FunctionWithTwoAddressesIsOneTarget) {
  same_ = 2;
  for (int i = 0; i < 1000; ++i) f_(targets_[i % 4 == 0 ? 4 : 5], targets_[0], 1);
  EXPECT_THAT(Read().calls[0].targets, ElementsAre(IsTarget(2, 1000, 1000)));
}

TEST_P(CallCountingTest, WhatWasNotCalledHasNoTargets) {
  for (const CallCounts& call : Read().calls) {
    EXPECT_EQ(call.count, 0);
    EXPECT_THAT(call.targets, IsEmpty());
  }
}

// --- Guards ---

CallTarget TargetOf(uint32_t function, uint64_t count, bool is_in_table = false) {
  CallTarget target;
  target.function = SymbolOrdinal{function};
  target.count = count;
  target.is_in_table = is_in_table;
  return target;
}

BranchCounts CountsWith(uint64_t branches, CallCounts call) {
  BranchCounts counts;
  counts.counts = {branches};
  counts.calls = {std::move(call)};
  return counts;
}

std::vector<uint32_t> LikelyOf(uint64_t branches, CallCounts call) {
  std::vector<uint32_t> likely;
  for (const CallTarget& target : LikelyTargets(CountsWith(branches, call), call)) {
    likely.push_back(target.function.value);
  }
  return likely;
}

TEST(LikelyTargetsTest, AreFrequentOnes) {
  EXPECT_THAT(LikelyOf(1000, {1000, {TargetOf(1, 1000)}}), ElementsAre(1));
  EXPECT_THAT(LikelyOf(1000, {1000, {TargetOf(1, 130), TargetOf(2, 370), TargetOf(3, 500)}}),
              ElementsAre(3, 2));
  EXPECT_THAT(LikelyOf(1000, {1000, {TargetOf(1, 100), TargetOf(2, 800)}}), ElementsAre(2, 1));
  EXPECT_THAT(LikelyOf(1000, {1000, {TargetOf(1, 40), TargetOf(2, 800)}}), ElementsAre(2));
  EXPECT_THAT(LikelyOf(1000, {1000, {TargetOf(1, 290), TargetOf(2, 280)}}), IsEmpty());
  EXPECT_THAT(LikelyOf(1000, {1000, {}}), IsEmpty());
}

TEST(LikelyTargetsTest, RareCallsHaveNone) {
  EXPECT_THAT(LikelyOf(1000, {99, {TargetOf(1, 99)}}), IsEmpty());
  EXPECT_THAT(LikelyOf(1000000, {9999, {TargetOf(1, 9999)}}), IsEmpty());
  EXPECT_THAT(LikelyOf(1000000, {10000, {TargetOf(1, 10000)}}), ElementsAre(1));
}

// Threads may have lost counts of each other.
TEST(LikelyTargetsTest, AreNotMoreFrequentThanTheCall) {
  const CallCounts call = {1000, {TargetOf(1, 1500), TargetOf(2, 1400)}};
  const std::vector<CallTarget> likely = LikelyTargets(CountsWith(1000, call), call);
  EXPECT_THAT(likely, ElementsAre(IsTarget(1, 1000, 1000)));
}

TEST(CallTargetTest, IsAValueAndBack) {
  for (bool is_in_table : {false, true}) {
    for (uint32_t function : {0u, 1u, UINT32_MAX}) {
      const uint64_t value = TargetToValue(TargetOf(function, 5, is_in_table));
      EXPECT_NE(value, kOtherTargets);
      const CallTarget target = ValueToTarget(value, 7);
      EXPECT_EQ(target.function, SymbolOrdinal{function});
      EXPECT_EQ(target.is_in_table, is_in_table);
      EXPECT_EQ(target.count, 7);
    }
  }
}

class CallGuardsTest : public ::testing::Test {
 protected:
  // Parses `text`, in which @f has one indirect call, counts `call` for it, and guards it for @t0
  // and @t1, with ordinals 0 and 1. Returns the text of @f then.
  std::string Guarded(const std::string& text, const CallCounts& call) {
    const std::string all = absl::StrCat(kGlobals, text);
    std::optional<BranchCounters> counters;
    {
      llvm::LLVMContext context;
      counters = CountBranches(*ParseModule(all, context)->getFunction("f"), kCounters);
    }
    EXPECT_TRUE(counters.has_value());
    BranchCounts counts;
    counts.shape = counters->shape;
    counts.counts.assign(counters->count, 2000);
    counts.calls = {call};
    module_ = ParseModule(all, context_);
    llvm::Function& f = *module_->getFunction("f");
    UseBranchCounts(*module_, f, {{&f, &counts}});
    GuardCalls(*module_, [&](const CallTarget& target) -> std::optional<Guard> {
      const std::string name = absl::StrCat("t", target.function.value);
      if (target.function.value > 1) return std::nullopt;
      return Guard{module_->getFunction(name), module_->getNamedGlobal(name + ".address")};
    });
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
    for (const llvm::Instruction& instruction : llvm::instructions(f)) {
      const auto* left = llvm::dyn_cast<llvm::CallBase>(&instruction);
      EXPECT_TRUE(left == nullptr || !left->hasMetadata(llvm::LLVMContext::MD_prof));
    }
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    f.print(stream);
    return printed;
  }

  // The weights of the branches of guards, in the order of blocks.
  std::vector<std::pair<uint32_t, uint32_t>> Weights() {
    std::vector<std::pair<uint32_t, uint32_t>> weights;
    for (const llvm::BasicBlock& block : *module_->getFunction("f")) {
      llvm::SmallVector<uint32_t> of_branch;
      if (llvm::extractBranchWeights(*block.getTerminator(), of_branch)) {
        weights.emplace_back(of_branch[0], of_branch[1]);
      }
    }
    return weights;
  }

  static constexpr char kGlobals[] = R"(
    @t0.address = global ptr @t0
    @t1.address = global ptr @t1
    define i64 @t0(i64 %x) { ret i64 %x }
    define i64 @t1(i64 %x) { %y = add i64 %x, 1 ret i64 %y }
    declare i32 @__gxx_personality_v0(...)
  )";
  static constexpr char kPlain[] =
      "define i64 @f(ptr %p, i64 %x) { %r = call i64 %p(i64 %x) ret i64 %r }";

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(CallGuardsTest, FrequentTargetIsCalledDirectly) {
  const std::string f = Guarded(kPlain, {2000, {TargetOf(0, 1900)}});
  EXPECT_THAT(f, HasSubstr("load ptr, ptr @t0.address"));
  EXPECT_THAT(f, HasSubstr("call i64 @t0(i64 %x)"));
  EXPECT_THAT(f, HasSubstr("call i64 %p(i64 %x)"));
  EXPECT_THAT(Weights(), ElementsAre(std::make_pair(1900u, 100u)));
}

TEST_F(CallGuardsTest, TwoTargetsAreComparedOneAfterTheOther) {
  const std::string f = Guarded(kPlain, {2000, {TargetOf(0, 600), TargetOf(1, 1300)}});
  EXPECT_THAT(f, HasSubstr("call i64 @t0(i64 %x)"));
  EXPECT_THAT(f, HasSubstr("call i64 @t1(i64 %x)"));
  EXPECT_THAT(f, HasSubstr("call i64 %p(i64 %x)"));
  EXPECT_LT(f.find("@t1.address"), f.find("@t0.address"));
  EXPECT_THAT(Weights(), ElementsAre(std::make_pair(1300u, 700u), std::make_pair(600u, 100u)));
}

TEST_F(CallGuardsTest, CountsThatNeedMoreThan32BitsAreScaled) {
  Guarded(kPlain, {uint64_t{4} << 32, {TargetOf(0, uint64_t{3} << 32)}});
  ASSERT_THAT(Weights(), SizeIs(1));
  EXPECT_EQ(Weights()[0].first, 3 * Weights()[0].second);
}

TEST_F(CallGuardsTest, InvokesAreGuarded) {
  const std::string f = Guarded(
      R"(define i64 @f(ptr %p, i64 %x) personality ptr @__gxx_personality_v0 {
           %r = invoke i64 %p(i64 %x) to label %good unwind label %bad
         good:
           ret i64 %r
         bad:
           %e = landingpad { ptr, i32 } catch ptr null
           ret i64 0
         })",
      {2000, {TargetOf(0, 2000)}});
  EXPECT_THAT(f, HasSubstr("invoke i64 @t0(i64 %x)"));
  EXPECT_THAT(f, HasSubstr("invoke i64 %p(i64 %x)"));
}

TEST_F(CallGuardsTest, TargetsWithoutABodyAreLeftOut) {
  EXPECT_THAT(Guarded(kPlain, {2000, {TargetOf(5, 2000)}}), Not(HasSubstr("br ")));
}

TEST_F(CallGuardsTest, CallsThatCannotCallTheTargetDirectlyStay) {
  for (const char* text : {
           "define i64 @f(ptr %p, i32 %x) { %r = call i64 %p(i32 %x) ret i64 %r }",
           "define i64 @f(ptr %p, i64 %x) { %r = call i64 %p(i64 %x, i64 %x) ret i64 %r }",
           "define i64 @f(ptr %p, i64 %x) { %r = call i64 %p() ret i64 %r }",
           "define { i64, i64 } @f(ptr %p, i64 %x) { %r = call { i64, i64 } %p(i64 %x)"
           " ret { i64, i64 } %r }",
           "define i64 @f(ptr %p, i64 %x) { %r = call i64 (i64, ...) %p(i64 %x) ret i64 %r }",
           "define i64 @f(ptr %p, i64 %x) { %r = call fastcc i64 %p(i64 %x) ret i64 %r }",
           "define i64 @f(ptr %p, i64 %x) { %r = call i64 %p(i64 %x) noinline ret i64 %r }",
           "define i64 @f(ptr %p, i64 %x) { %r = call i64 %p(i64 %x) [ \"x\"(i64 1) ]"
           " ret i64 %r }",
           "define i64 @f(i64 %x, ptr %p) { %r = musttail call i64 %p(i64 %x, ptr %p) ret i64 %r }",
       }) {
    EXPECT_THAT(Guarded(text, {2000, {TargetOf(0, 2000)}}), Not(HasSubstr("br "))) << text;
  }
}

// --- In an engine ---

// Where firstcall_test_note was called last.
std::atomic<void*> noted{nullptr};

extern "C" void firstcall_test_note() {
  noted.store(__builtin_return_address(0), std::memory_order_relaxed);
}

// @table is a constant table, as of C++'s virtual functions.
constexpr char kFunctions[] = R"(
  @table = constant [2 x ptr] [ptr @in_table, ptr @also_in_table]
  declare void @firstcall_test_note()
  define i64 @one(i64 %x) {
    call void @firstcall_test_note()
    %y = add i64 %x, 1
    ret i64 %y
  }
  define i64 @two(i64 %x) {
    %y = mul i64 %x, 2
    ret i64 %y
  }
  define i64 @narrow(i32 %x) {
    %y = zext i32 %x to i64
    %z = add i64 %y, 5
    ret i64 %z
  }
  define i64 @in_table(i64 %x) unnamed_addr {
    call void @firstcall_test_note()
    %y = add i64 %x, 3
    ret i64 %y
  }
  define i64 @also_in_table(i64 %x) unnamed_addr {
    %y = mul i64 %x, 5
    ret i64 %y
  }
  define i1 @is_one(ptr %p) noinline {
    %is = icmp eq ptr %p, @one
    ret i1 %is
  }
)";

// The functions above, and callers that call a function for 0, ..., n - 1 and add its results:
// call(p, n), call_until(p, &n), which loads n each time, and by_table(i, n), which takes the
// function from the table.
std::string Program() {
  return absl::StrCat(kFunctions,
                      TextOfSum("@call(ptr %p, i64 %n) noinline", "%y = call i64 %p(i64 %x)"),
                      TextOfSum("@call_until(ptr %p, ptr %until) noinline",
                                R"(%y = call i64 %p(i64 %x)
                   %n = load atomic i64, ptr %until monotonic, align 8)"),
                      TextOfSum("@by_table(i64 %i, i64 %n) noinline",
                                R"(%place = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
                   %p = load ptr, ptr %place
                   %y = call i64 %p(i64 %x))"));
}

int64_t SumUntil(int64_t n, const std::function<int64_t(int64_t)>& f) {
  int64_t sum = 0;
  for (int64_t x = 0; x < n; ++x) sum += f(x);
  return sum;
}

// The variables with which guards in optimized function-modules compare.
class Guards final : public Listener {
 public:
  bool sees_modules() const override { return true; }
  void OnModuleMade(const llvm::Module& module) override {
    absl::MutexLock lock(&mutex_);
    for (const llvm::GlobalVariable& variable : module.globals()) {
      const std::string name = variable.getName().str();
      if (absl::EndsWith(name, kGuardSuffix)) names_.insert(name);
    }
  }

  bool Contains(const std::string& name) const {
    absl::MutexLock lock(&mutex_);
    return names_.count(name) > 0;
  }

 private:
  mutable absl::Mutex mutex_;
  std::set<std::string> names_ ABSL_GUARDED_BY(mutex_);
};

// Notices that a function has a counting body, which calls enter shortly afterwards.
class CountingBodyOf final : public Listener {
 public:
  explicit CountingBodyOf(std::string function) : function_(std::move(function)) {}

  void OnPublished(const PublishedObject& object) override {
    if (object.reason == CompileReason::kPromoted && !object.is_optimized &&
        object.functions[0].name == function_) {
      is_published_ = true;
    }
  }

  bool is_published() const { return is_published_; }

 private:
  const std::string function_;
  std::atomic<bool> is_published_{false};
};

class CallCountsTest : public ::testing::Test {
 protected:
  using Target = int64_t(int64_t);

  void Create(const std::function<void(EngineOptions&)>& change = [](EngineOptions&) {}) {
    engine_ = nullptr;
    bodies_ = std::make_shared<BetterBodies>();
    EngineOptions options;
    options.tier = Tier::kAuto;
    SetWay(PromotionWay::kThreadLooks, options.promotion);
    options.promotion.threshold = 1000;
    options.listeners.push_back(bodies_);
    options.listeners.push_back(guards_);
    change(options);
    engine_ = Engine::Create(std::move(options)).value();
  }

  void Add(const std::string& program = Program()) {
    ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(program), "program"), IsOk());
  }

  Target* Find(const char* name) { return engine_->Lookup<Target>(name).value(); }

  int64_t Call(Target* target, int64_t n) {
    return engine_->Lookup<int64_t(Target*, int64_t)>("call").value()(target, n);
  }

  bool HasBody(absl::string_view function) { return HotnessOf(*engine_, function).tier == 1; }

  // What was inlined into the optimized body of `function`.
  std::vector<std::string> InlinedInto(absl::string_view function) {
    for (const PromotionStep& step : HotnessOf(*engine_, function).steps) {
      if (!step.is_continuation) return step.inlined;
    }
    return {};
  }

  // Calls call(target, 50) until it has its optimized body.
  void CallUntilPromoted(Target* target, const std::function<int64_t(int64_t)>& expected) {
    const int64_t sum = SumUntil(50, expected);
    EXPECT_TRUE(
        DoUntil([&] { return HasBody("call"); }, [&] { ASSERT_EQ(Call(target, 50), sum); }));
  }

  // Returns by_table, after calling it for @in_table until it has its optimized body, in which the
  // function is inlined.
  using ByTable = int64_t(int64_t, int64_t);
  ByTable* PromoteByTable() {
    auto* by_table = engine_->Lookup<ByTable>("by_table").value();
    EXPECT_TRUE(DoUntil([&] { return HasBody("by_table"); },
                        [&] { ASSERT_EQ(by_table(0, 50), SumUntil(50, InTable)); }));
    EXPECT_THAT(InlinedInto("by_table"), ElementsAre("in_table"));
    return by_table;
  }

  // The call of @in_table is still inlined there.
  void ExpectGuardMatches(ByTable* by_table) {
    EXPECT_EQ(by_table(0, 50), SumUntil(50, InTable));
    EXPECT_TRUE(bodies_->Contains(noted, "by_table"));
  }

  static int64_t InTable(int64_t x) { return x + 3; }

  std::shared_ptr<BetterBodies> bodies_;
  const std::shared_ptr<Guards> guards_ = std::make_shared<Guards>();
  std::unique_ptr<Engine> engine_;
};

int64_t One(int64_t x) { return x + 1; }
int64_t Two(int64_t x) { return x * 2; }

TEST_F(CallCountsTest, WhatIsAlwaysCalledIsInlined) {
  Create();
  Add();
  CallUntilPromoted(Find("one"), One);
  EXPECT_THAT(InlinedInto("call"), ElementsAre("one"));
  EXPECT_EQ(Call(Find("one"), 10), SumUntil(10, One));
  EXPECT_TRUE(bodies_->Contains(noted, "call"));
}

TEST_F(CallCountsTest, WithoutTheOptionNothingIsInlined) {
  Create([](EngineOptions& options) { options.promotion.counts_branches = false; });
  Add();
  CallUntilPromoted(Find("one"), One);
  EXPECT_THAT(InlinedInto("call"), IsEmpty());
}

TEST_F(CallCountsTest, OtherFunctionsAreCalledToo) {
  Create();
  Add();
  CallUntilPromoted(Find("one"), One);
  ASSERT_THAT(InlinedInto("call"), ElementsAre("one"));
  EXPECT_EQ(Call(Find("two"), 50), SumUntil(50, Two));
  static constexpr auto kOfHost = +[](int64_t x) { return x - 100; };
  EXPECT_EQ(Call(kOfHost, 50), SumUntil(50, kOfHost));
  EXPECT_EQ(Call(Find("one"), 50), SumUntil(50, One));
}

TEST_F(CallCountsTest, FunctionsKeepTheirIdentity) {
  Create();
  Add();
  Target* const one = Find("one");
  auto* is_one = engine_->Lookup<bool(Target*)>("is_one").value();
  CallUntilPromoted(one, One);
  EXPECT_TRUE(DoUntil([&] { return HasBody("one"); }, [&] { Call(one, 50); }));
  EXPECT_TRUE(is_one(one));
  EXPECT_FALSE(is_one(Find("two")));
  EXPECT_EQ(Find("one"), one);
}

// The table leads to a stub when the caller is counted, and later to the final body.
TEST_F(CallCountsTest, GuardOfAFunctionInATableFollowsTheTable) {
  Create();
  Add();
  ByTable* const by_table = PromoteByTable();
  ExpectGuardMatches(by_table);
  EXPECT_TRUE(DoUntil([&] { return HasBody("in_table"); }, [&] { Call(Find("in_table"), 50); }));
  ExpectGuardMatches(by_table);
  EXPECT_EQ(by_table(1, 50), SumUntil(50, [](int64_t x) { return x * 5; }));
}

// A caller that is compiled after the function has its final body.
TEST_F(CallCountsTest, TableThatLeadsToABodyIsRecognized) {
  Create();
  Add();
  EXPECT_TRUE(
      DoUntil([&] { return HasBody("in_table"); }, [&] { ASSERT_EQ(Find("in_table")(4), 7); }));
  ExpectGuardMatches(PromoteByTable());
}

// visit(p, n) is p(p, n - 1) + n, and mostly p is visit.
constexpr char kRecursion[] = R"(
  define i64 @visit(ptr %p, i64 %n) {
    %is_last = icmp sle i64 %n, 0
    br i1 %is_last, label %last, label %other
  last:
    ret i64 0
  other:
    %n1 = sub i64 %n, 1
    %s = call i64 %p(ptr %p, i64 %n1)
    %s2 = add i64 %s, %n
    ret i64 %s2
  }
  define i64 @end(ptr %p, i64 %n) {
    ret i64 1000
  }
)";

TEST_F(CallCountsTest, FunctionThatCallsItselfThroughAPointerIsGuarded) {
  Create();
  Add(kRecursion);
  using Visit = int64_t(void*, int64_t);
  auto* visit = engine_->Lookup<Visit>("visit").value();
  auto* end = engine_->Lookup<Visit>("end").value();
  void* const own = reinterpret_cast<void*>(visit);
  EXPECT_TRUE(DoUntil([&] { return HasBody("visit"); }, [&] { ASSERT_EQ(visit(own, 50), 1275); }));
  EXPECT_TRUE(guards_->Contains("visit$fc.guard"));
  EXPECT_EQ(visit(own, 50), 1275);
  EXPECT_EQ(visit(reinterpret_cast<void*>(end), 50), 1050);
}

TEST_F(CallCountsTest, FunctionOfAnotherTypeIsNotInlined) {
  Create();
  Add();
  CallUntilPromoted(Find("narrow"), [](int64_t x) { return x + 5; });
  EXPECT_THAT(InlinedInto("call"), IsEmpty());
}

TEST_F(CallCountsTest, FunctionOfAnotherModuleIsNotInlined) {
  Create();
  Add();
  ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(R"(
    define i64 @elsewhere(i64 %x) { %y = mul i64 %x, 9 ret i64 %y })"),
                                  "other"),
              IsOk());
  CallUntilPromoted(Find("elsewhere"), [](int64_t x) { return x * 9; });
  EXPECT_THAT(InlinedInto("call"), IsEmpty());
}

constexpr char kWeak[] = R"(
  define weak_odr i64 @weak(i64 %x) { %y = add i64 %x, 1 ret i64 %y }
  define ptr @address_of_weak() { ret ptr @weak }
)";

TEST_F(CallCountsTest, WeakFunctionThatGivesWayIsNotInlined) {
  Create();
  ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(R"(
    define i64 @weak(i64 %x) { %y = mul i64 %x, 2 ret i64 %y })"),
                                  "strong"),
              IsOk());
  Add(absl::StrCat(Program(), kWeak));
  CallUntilPromoted(engine_->Lookup<Target*()>("address_of_weak").value()(), Two);
  EXPECT_THAT(InlinedInto("call"), IsEmpty());
}

// A call that is running when the optimized body is made goes on in a continuation. What it has
// called is only known if it began in the counting body, that is within some milliseconds; if it
// began too late, the next round tries again.
TEST_F(CallCountsTest, ContinuationsAreGuarded) {
  const auto loops_entered = [&] { return HotnessOf(*engine_, "call_until").loops_entered; };
  const auto has_guarded_continuation = [&] {
    const std::vector<PromotionStep> steps = HotnessOf(*engine_, "call_until").steps;
    return std::any_of(steps.begin(), steps.end(), [](const PromotionStep& step) {
      return step.is_continuation && step.inlined == std::vector<std::string>{"two"};
    });
  };
  EXPECT_TRUE(DoUntil(has_guarded_continuation, [&] {
    const auto counting = std::make_shared<CountingBodyOf>("call_until");
    Create([&](EngineOptions& options) { options.listeners.push_back(counting); });
    Add();
    auto* call_until =
        engine_->Lookup<int64_t(Target*, std::atomic<int64_t>*)>("call_until").value();
    Target* const two = Find("two");
    std::atomic<int64_t> end{50};
    const absl::Time give_up = absl::Now() + absl::Seconds(20);
    while (!counting->is_published() && absl::Now() < give_up) {
      ASSERT_EQ(call_until(two, &end), SumUntil(50, Two));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // Until calls lead to it.
    end = INT64_MAX;
    std::thread ends_it([&] {
      const absl::Time too_long = absl::Now() + absl::Seconds(5);
      while (loops_entered() == 0 && absl::Now() < too_long) absl::SleepFor(absl::Milliseconds(1));
      end = 0;
    });
    const int64_t sum = call_until(two, &end);
    ends_it.join();
    // n * (n - 1) for the n rounds that there were.
    const auto n = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(sum)) + 0.5));
    EXPECT_EQ(sum, n * (n - 1));
  }));
  EXPECT_GT(loops_entered(), 0);
  std::atomic<int64_t> end{100};
  EXPECT_EQ(engine_->Lookup<int64_t(Target*, std::atomic<int64_t>*)>("call_until")
                .value()(Find("one"), &end),
            SumUntil(100, One));
}

TEST_F(CallCountsTest, ThreadsThatCountAtTheSameTimeGetTheirResults) {
  for (int round = 0; round < 5; ++round) {
    Create();
    Add();
    std::atomic<bool> is_right{true};
    std::atomic<bool> is_done{false};
    std::vector<std::thread> threads;
    for (const char* name : {"one", "two"}) {
      threads.emplace_back([&, name] {
        Target* const target = Find(name);
        const int64_t sum = SumUntil(50, absl::string_view(name) == "one" ? One : Two);
        while (!is_done.load()) {
          if (Call(target, 50) != sum) is_right = false;
        }
      });
    }
    EXPECT_TRUE(DoUntil([&] { return HasBody("call"); },
                        [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_done = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(is_right);
  }
}

// The guard in a cached body refers to names, which are bound anew.
TEST_F(CallCountsTest, CachedBodyIsGuardedInTheNextRun) {
  const auto cache = std::make_shared<MemoryCache>();
  const auto with_cache = [&](EngineOptions& options) { options.object_cache = cache; };
  Create(with_cache);
  Add();
  CallUntilPromoted(Find("one"), One);
  ASSERT_THAT(InlinedInto("call"), ElementsAre("one"));
  PromoteByTable();
  for (int run = 0; run < 2; ++run) {
    Create(with_cache);
    Add();
    EXPECT_EQ(Call(Find("one"), 50), SumUntil(50, One));
    EXPECT_TRUE(HotnessOf(*engine_, "call").is_cached);
    EXPECT_TRUE(bodies_->Contains(noted, "call"));
    EXPECT_EQ(Call(Find("two"), 50), SumUntil(50, Two));
    auto* by_table = engine_->Lookup<ByTable>("by_table").value();
    ExpectGuardMatches(by_table);
    EXPECT_TRUE(DoUntil([&] { return HasBody("in_table"); }, [&] { Call(Find("in_table"), 50); }));
    ExpectGuardMatches(by_table);
  }
}

TEST_F(CallCountsTest, CachedBodyIsNotUsedIfAWeakFunctionGivesWay) {
  const auto cache = std::make_shared<MemoryCache>();
  const auto with_cache = [&](EngineOptions& options) { options.object_cache = cache; };
  const std::string program = absl::StrCat(Program(), kWeak);
  Create(with_cache);
  Add(program);
  CallUntilPromoted(engine_->Lookup<Target*()>("address_of_weak").value()(), One);
  ASSERT_THAT(InlinedInto("call"), ElementsAre("weak"));
  Create(with_cache);
  ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(R"(
    define i64 @weak(i64 %x) { %y = mul i64 %x, 2 ret i64 %y })"),
                                  "strong"),
              IsOk());
  Add(program);
  EXPECT_EQ(Call(engine_->Lookup<Target*()>("address_of_weak").value()(), 50), SumUntil(50, Two));
  EXPECT_FALSE(HotnessOf(*engine_, "call").is_cached);
}

TEST_F(CallCountsTest, ModuleIsRemovedWhileItCounts) {
  for (int i = 0; i < 20; ++i) {
    Create();
    Add();
    for (int j = 0; j < 50 * i; ++j) ASSERT_EQ(Call(Find("one"), 50), SumUntil(50, One));
  }
}

}  // namespace
}  // namespace firstcall
