// Hot functions get better bodies, and running loops go on in them.

#include "tests/api/promotion.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "memory/memory_manager.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

BetterBodies* watched = nullptr;
absl::Time deadline;

extern "C" {
// Whether it is called from a better body or a continuation; or from nowhere else for too long.
int firstcall_test_is_better() {
  return watched->Contains(__builtin_return_address(0)) || absl::Now() > deadline ? 1 : 0;
}
void firstcall_test_throw_number(int64_t number) { throw number; }
void firstcall_test_take_time() { absl::SleepFor(absl::Milliseconds(5)); }
}

class PromotionTest : public ::testing::TestWithParam<PromotionWay> {
 protected:
  void Create(uint32_t threshold, EngineOptions options = {}, Tier tier = Tier::kAuto) {
    options.tier = tier;
    SetWay(GetParam(), options.promotion);
    options.promotion.threshold = threshold;
    options.listeners.push_back(bodies_);
    engine_ = Engine::Create(std::move(options)).value();
    watched = bodies_.get();
    deadline = absl::Now() + absl::Seconds(60);
  }

  ModuleId Add(absl::string_view text, absl::string_view name = "program") {
    return engine_->AddBitcode(ParseToBitcode(text), name).value();
  }

  template <typename Signature>
  Signature* Get(absl::string_view name) {
    return engine_->Lookup<Signature>(name).value();
  }

  FunctionHotness Hotness(absl::string_view function) { return HotnessOf(*engine_, function); }

  // Whether `function` gets its better body if `call` is called often enough.
  bool IsPromotedBy(absl::string_view function, const std::function<void()>& call) {
    return DoUntil([&] { return Hotness(function).tier == 1; }, call);
  }

  const std::shared_ptr<BetterBodies> bodies_ = std::make_shared<BetterBodies>();
  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Ways, PromotionTest, ::testing::ValuesIn(kPromotionWays), NameOfWay);

constexpr char kPlus[] = "define i64 @plus(i64 %x) { %y = add i64 %x, 5 ret i64 %y }";

// sum(n) is 0 + 1 * 3 + 2 * 3 ... + (n - 1) * 3, and @calls counts its iterations.
constexpr char kSum[] = R"(
  @calls = global i64 0
  define i64 @triple(i64 %x) {
    %c = load i64, ptr @calls
    %d = add i64 %c, 1
    store i64 %d, ptr @calls
    %y = mul i64 %x, 3
    ret i64 %y
  }
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
    %t = call i64 @triple(i64 %i1)
    %s1 = load i64, ptr %sum
    %s2 = add i64 %s1, %t
    store i64 %s2, ptr %sum
    %i2 = add i64 %i1, 1
    store i64 %i2, ptr %i
    br label %loop
  end:
    %r = load i64, ptr %sum
    ret i64 %r
  })";

// --- Getting hot ---

// What was never called when its caller became hot is compiled when it is; what was, is a part of
// it.
TEST_P(PromotionTest, WhatIsNeverCalledIsNoPartOfABetterBody) {
  Create(1000);
  std::string steps;
  for (int i = 1; i <= 50; ++i) {
    absl::StrAppend(&steps, "%y", i, " = mul i64 %x", i, ", %x0\n%x", i + 1, " = xor i64 %y", i,
                    ", ", i * 7919, "\n");
  }
  const auto function = [&](absl::string_view name) {
    return absl::StrCat("define i64 @", name, "(i64 %x0) {\n%x1 = add i64 %x0, 1\n", steps,
                        "ret i64 %x51 }\n");
  };
  Add(absl::StrCat(function("rare"), function("common"), R"(
    define i64 @hot(i64 %x) {
      %c = icmp eq i64 %x, -1
      br i1 %c, label %seldom, label %often
    seldom:
      %a = call i64 @rare(i64 %x)
      ret i64 %a
    often:
      %b = call i64 @common(i64 %x)
      ret i64 %b
    })"));
  auto* hot = Get<int64_t(int64_t)>("hot");
  EXPECT_TRUE(IsPromotedBy("hot", [&] { hot(3); }));
  const size_t compiled = engine_->stats().functions_compiled;
  (void)hot(3);
  EXPECT_EQ(engine_->stats().functions_compiled, compiled);
  const int64_t rare = hot(-1);
  EXPECT_EQ(engine_->stats().functions_compiled, compiled + 1);
  EXPECT_EQ(rare, Get<int64_t(int64_t)>("common")(-1));
}

TEST_P(PromotionTest, FunctionIsPromotedWhenItHasBeenCalledOftenEnough) {
  for (uint32_t threshold : {1, 2, 10}) {
    SCOPED_TRACE(threshold);
    Create(threshold);
    Add(kPlus);
    auto* plus = Get<int64_t(int64_t)>("plus");
    for (uint32_t i = 1; i < threshold; ++i) {
      EXPECT_EQ(plus(i), i + 5);
      EXPECT_EQ(Hotness("plus").tier, 0);
    }
    EXPECT_EQ(engine_->stats().promotions_made, 0u);
    EXPECT_EQ(plus(1), 6);
    if (GetParam() == PromotionWay::kCallerDoesIt) {
      EXPECT_EQ(Hotness("plus").tier, 1);
    } else {
      EXPECT_TRUE(IsPromotedBy("plus", [&] { plus(1); }));
    }
    EXPECT_EQ(plus(2), 7);
    const FunctionHotness hotness = Hotness("plus");
    EXPECT_EQ(hotness.module, "program");
    EXPECT_GE(hotness.polls_promoted, threshold);
    EXPECT_GT(hotness.first_bytes, 0u);
    EXPECT_GT(hotness.optimized_bytes, 0u);
    EXPECT_GT(hotness.optimized_time, absl::ZeroDuration());
    EXPECT_EQ(hotness.failures, 0u);
    EXPECT_EQ(engine_->stats().promotions_made, 1u);
    EXPECT_EQ(engine_->stats().functions_compiled, 1u);
  }
}

TEST_P(PromotionTest, OnlyWhatIsHotIs) {
  Create(1000);
  Add(kPlus);
  Add(kSum);
  auto* plus = Get<int64_t(int64_t)>("plus");
  EXPECT_EQ(Get<int64_t(int64_t)>("sum")(4), 18);
  EXPECT_TRUE(IsPromotedBy("plus", [&] { plus(1); }));
  EXPECT_EQ(Hotness("sum").tier, 0);
  EXPECT_EQ(Hotness("triple").tier, 0);
}

TEST_P(PromotionTest, WhatIsNearlyHotIsPromotedIfThereIsTime) {
  if (GetParam() != PromotionWay::kThreadLooks) GTEST_SKIP() << "elsewhere no thread is idle";
  constexpr int kThreshold = 100'000;
  Create(kThreshold);
  Add(kPlus);
  Add(kSum);
  auto* plus = Get<int64_t(int64_t)>("plus");
  auto* triple = Get<int64_t(int64_t)>("triple");
  // The thread starts.
  EXPECT_TRUE(IsPromotedBy("triple", [&] {
    for (int i = 0; i <= kThreshold; ++i) triple(1);
  }));
  for (int i = 0; i < kThreshold / 4; ++i) plus(1);
  EXPECT_TRUE(IsPromotedBy("plus", [&] {
    plus(1);
    absl::SleepFor(absl::Milliseconds(1));
  }));
  EXPECT_EQ(Hotness("plus").polls_promoted, 0u);
  EXPECT_EQ(plus(2), 7);
}

// What a call is worth if the time it takes is not known. LLVM compiles @f, and its loop cannot be
// left.
TEST_P(PromotionTest, CallsCountForMoreIfLoopsDoNotPoll) {
  if (GetParam() != PromotionWay::kThreadLooks) GTEST_SKIP() << "elsewhere calls ask";
  Create(256 * 20);
  Add(kPlus);
  Add(R"(
    declare ptr @llvm.frameaddress(i32)
    define i64 @f(i64 %n) {
    entry:
      %frame = call ptr @llvm.frameaddress(i32 0)
      call void asm alignstack "nop", ""()
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %j, %loop ]
      %j = add i64 %i, 1
      %more = icmp slt i64 %j, %n
      br i1 %more, label %loop, label %end
    end:
      ret i64 %j
    })");
  auto* f = Get<int64_t(int64_t)>("f");
  auto* plus = Get<int64_t(int64_t)>("plus");
  for (int i = 1; i <= 50; ++i) {
    EXPECT_EQ(f(i), i);
    EXPECT_EQ(plus(i), i + 5);
  }
  EXPECT_TRUE(DoUntil([&] { return Hotness("f").tier == 1; }, [] {}));
  EXPECT_EQ(Hotness("plus").tier, 0);
  EXPECT_EQ(f(7), 7);
}

TEST_P(PromotionTest, EveryWayToAFunctionLeadsToItsBetterBody) {
  Create(10);
  Add(R"(
    declare i32 @firstcall_test_is_better()
    @table = global [1 x ptr] [ptr @f]
    define i32 @f() { %r = call i32 @firstcall_test_is_better() %s = xor i32 %r, 2 ret i32 %s }
    define ptr @address() { ret ptr @f }
    define i32 @caller() noinline { %r = call i32 @f() ret i32 %r }
    define i32 @through_table() {
      %f = load ptr, ptr @table
      %r = call i32 %f()
      ret i32 %r
    })");
  auto* f = Get<int()>("f");
  auto* caller = Get<int()>("caller");
  auto* through_table = Get<int()>("through_table");
  auto* taken = reinterpret_cast<int (*)()>(Get<void*()>("address")());
  EXPECT_EQ(f(), 2);
  EXPECT_EQ(caller(), 2);
  EXPECT_EQ(through_table(), 2);
  EXPECT_EQ(taken, f);
  EXPECT_TRUE(IsPromotedBy("f", [&] { f(); }));
  EXPECT_EQ(f(), 3);
  EXPECT_EQ(taken(), 3);
  EXPECT_EQ(caller(), 3);
  EXPECT_EQ(through_table(), 3);
  EXPECT_EQ(Get<int()>("f"), f);
  EXPECT_EQ(Get<void*()>("address")(), reinterpret_cast<void*>(taken));
}

// Each step that was taken is told, with its times.
TEST_P(PromotionTest, TellsHowABetterBodyCameAbout) {
  Create(1000);
  Add(kPlus);
  auto* plus = Get<int64_t(int64_t)>("plus");
  ASSERT_TRUE(IsPromotedBy("plus", [&] { plus(10); }));
  const FunctionHotness hotness = Hotness("plus");
  ASSERT_EQ(hotness.steps.size(), 1u);
  const PromotionStep& step = hotness.steps[0];
  EXPECT_FALSE(step.is_continuation);
  EXPECT_EQ(step.failure, "");
  EXPECT_EQ(step.code_bytes, hotness.optimized_bytes);
  EXPECT_LE(step.hot, step.begun);
  EXPECT_LE(step.begun + step.extract + step.optimize + step.emit + step.link, step.ready);
  EXPECT_GT(step.extract, absl::ZeroDuration());
  EXPECT_GT(step.optimize, absl::ZeroDuration());
  EXPECT_GT(step.emit, absl::ZeroDuration());
  EXPECT_GT(step.link, absl::ZeroDuration());
  EXPECT_EQ(engine_->stats().promotions.ToString().find("(failed)"), std::string::npos);
}

// The entry of a constant table follows the body, unless the address may be compared.
TEST_P(PromotionTest, TablesLeadToBodiesOfFunctionsWhoseAddressNobodyCompares) {
  Create(1000);
  Add(R"(
    @table = constant { i64, [2 x ptr] } { i64 7, [2 x ptr] [ptr @virtual, ptr @compared] }
    @variable = global ptr @virtual
    define i64 @virtual(i64 %x) unnamed_addr { %y = add i64 %x, 5 ret i64 %y }
    define i64 @compared(i64 %x) { %y = add i64 %x, 7 ret i64 %y }
    define i64 @call(i64 %i, i64 %x) {
      %p = getelementptr i64, ptr @table, i64 %i
      %f = load ptr, ptr %p
      %y = call i64 %f(i64 %x)
      ret i64 %y
    })");
  auto* call = Get<int64_t(int64_t, int64_t)>("call");
  void* const* table = static_cast<void* const*>(engine_->LookupAddress("table").value());
  void* const* variable = static_cast<void* const*>(engine_->LookupAddress("variable").value());
  void* const virtual_stub = engine_->LookupAddress("virtual").value();
  EXPECT_EQ(table[1], virtual_stub);
  EXPECT_EQ(call(1, 10), 15);
  EXPECT_EQ(call(2, 10), 17);
  // Not by call, which may get an optimized body that has inlined them. The engine may be writing
  // the entry.
  const auto call_entry = [&](int i) {
    void* const target = __atomic_load_n(&table[i], __ATOMIC_ACQUIRE);
    return reinterpret_cast<int64_t (*)(int64_t)>(target)(10);
  };
  EXPECT_TRUE(IsPromotedBy("virtual", [&] { EXPECT_EQ(call_entry(1), 15); }));
  EXPECT_TRUE(IsPromotedBy("compared", [&] { EXPECT_EQ(call_entry(2), 17); }));
  EXPECT_TRUE(bodies_->Contains(table[1]));
  EXPECT_EQ(table[2], engine_->LookupAddress("compared").value());
  EXPECT_EQ(*variable, virtual_stub);
  EXPECT_EQ(call(1, 10), 15);
  EXPECT_EQ(call(2, 10), 17);
  EXPECT_EQ(reinterpret_cast<int64_t (*)(int64_t)>(virtual_stub)(10), 15);
}

// The outermost call is the only one from outside; it ends when a call in it runs the better body.
TEST_P(PromotionTest, RecursionGetsItsBetterBodyWithinOneCall) {
  Create(10);
  Add(R"(
    declare i32 @firstcall_test_is_better()
    define i64 @walk(i64 %depth) {
      %better = call i32 @firstcall_test_is_better()
      %stop = icmp ne i32 %better, 0
      br i1 %stop, label %found, label %on
    on:
      %leaf = icmp eq i64 %depth, 0
      br i1 %leaf, label %nothing, label %down
    down:
      %less = sub i64 %depth, 1
      %a = call i64 @walk(i64 %less)
      %a.found = icmp ne i64 %a, 0
      br i1 %a.found, label %found, label %other
    other:
      %b = call i64 @walk(i64 %less)
      ret i64 %b
    found:
      ret i64 1
    nothing:
      ret i64 0
    })");
  EXPECT_EQ(Get<int64_t(int64_t)>("walk")(60), 1);
  EXPECT_LT(absl::Now(), deadline);
  EXPECT_EQ(Hotness("walk").tier, 1);
}

// --- Running loops ---

// spin(x) is 3 * x. Its loop, which ends when it has been left, does `statement`.
std::string Spin(absl::string_view statement = "") {
  return absl::StrCat(R"(
    declare i32 @firstcall_test_is_better()
    declare void @firstcall_test_take_time()
    define i64 @spin(i64 %x) {
    entry:
      %y = mul i64 %x, 3
      br label %loop
    loop:
      )",
                      statement, R"(
      %better = call i32 @firstcall_test_is_better()
      %on = icmp eq i32 %better, 0
      br i1 %on, label %loop, label %end
    end:
      ret i64 %y
    })");
}

TEST_P(PromotionTest, LoopThatDoesNotEndOtherwiseIsLeft) {
  Create(10);
  Add(Spin());
  EXPECT_EQ(Get<int64_t(int64_t)>("spin")(14), 42);
  EXPECT_LT(absl::Now(), deadline);
  const FunctionHotness hotness = Hotness("spin");
  EXPECT_EQ(hotness.loops_entered, 1u);
  EXPECT_EQ(hotness.continuations, 1u);
  EXPECT_GT(hotness.continuation_bytes, 0u);
  EXPECT_GT(hotness.continuation_time, absl::ZeroDuration());
}

// A call that is not the first one may end soon, and the next one needs no continuation: that is
// made only if the call goes on. Here the loop ends in nothing but a continuation.
TEST_P(PromotionTest, WhatIsCalledAgainGetsABodyBeforeAContinuation) {
  if (GetParam() != PromotionWay::kThreadLooks) GTEST_SKIP() << "elsewhere calls are not counted";
  Create(10);
  Add(R"(
    declare i32 @firstcall_test_is_better()
    define i64 @spin(i64 %x) {
    entry:
      %y = mul i64 %x, 3
      %none = icmp eq i64 %x, 0
      br i1 %none, label %end, label %loop
    loop:
      %better = call i32 @firstcall_test_is_better()
      %on = icmp eq i32 %better, 0
      br i1 %on, label %loop, label %end
    end:
      ret i64 %y
    })");
  auto* spin = Get<int64_t(int64_t)>("spin");
  EXPECT_EQ(spin(0), 0);
  EXPECT_EQ(Hotness("spin").polls, 0u);
  EXPECT_EQ(spin(14), 42);
  EXPECT_LT(absl::Now(), deadline);
  const FunctionHotness hotness = Hotness("spin");
  EXPECT_EQ(hotness.tier, 1);
  EXPECT_EQ(hotness.continuations, 1u);
  EXPECT_EQ(hotness.loops_entered, 1u);
  EXPECT_EQ(hotness.failures, 0u);
}

// What takes the time may be what it calls.
TEST_P(PromotionTest, LoopWithFewButLongRoundsIsLeft) {
  if (GetParam() != PromotionWay::kThreadLooks) GTEST_SKIP() << "nobody looks at the time";
  Create(2000000000);
  Add(Spin("call void @firstcall_test_take_time()"));
  EXPECT_EQ(Get<int64_t(int64_t)>("spin")(14), 42);
  EXPECT_LT(absl::Now(), deadline);
  EXPECT_EQ(Hotness("spin").loops_entered, 1u);
}

// Better bodies wait for first ones, but not for ever.
TEST_P(PromotionTest, FunctionsArePromotedThoughOthersAreCompiledAllTheTime) {
  Create(100);
  Add(kPlus);
  auto* plus = Get<int64_t(int64_t)>("plus");
  std::atomic<bool> may_end{false};
  std::vector<std::thread> compilers;
  for (int t = 0; t < 2; ++t) {
    compilers.emplace_back([&, t] {
      for (int i = 0; !may_end; ++i) {
        const std::string name = absl::StrCat("other", t, "_", i);
        Add(absl::StrCat("define i64 @", name, "(i64 %x) { ret i64 %x }"), name);
        EXPECT_EQ(Get<int64_t(int64_t)>(name)(i), i);
      }
    });
  }
  EXPECT_TRUE(IsPromotedBy("plus", [&] { plus(1); }));
  may_end = true;
  for (std::thread& compiler : compilers) compiler.join();
}

TEST_P(PromotionTest, LongLoopIsLeftInTheMiddle) {
  for (uint32_t threshold : {1, 2, 10, 100000}) {
    SCOPED_TRACE(threshold);
    Create(threshold);
    Add(kSum);
    constexpr int64_t kN = 300000000;  // Whoever has to wait for a processor is in time, too.
    EXPECT_EQ(Get<int64_t(int64_t)>("sum")(kN), kN * (kN - 1) / 2 * 3);
    EXPECT_EQ(*static_cast<int64_t*>(engine_->LookupAddress("calls").value()), kN);
    EXPECT_EQ(Hotness("sum").loops_entered, 1u);
    EXPECT_EQ(Hotness("sum").failures, 0u);
  }
}

// f(n) returns how often it has gone round its loop: at least n times, and until it is in a
// continuation or in the better body.
TEST_P(PromotionTest, AtomicsInALoopCountEveryIteration) {
  Create(10);
  Add(R"(
    @count = global i64 0
    @seen = global i64 0
    declare i32 @firstcall_test_is_better()
    define i64 @f(i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %i2, %loop ], [ %i2, %enough ]
      %old = atomicrmw add ptr @count, i64 1 seq_cst
      store volatile i64 %old, ptr @seen
      %i2 = add i64 %i, 1
      %more = icmp slt i64 %i2, %n
      br i1 %more, label %loop, label %enough
    enough:
      %better = call i32 @firstcall_test_is_better()
      %on = icmp eq i32 %better, 0
      br i1 %on, label %loop, label %end
    end:
      ret i64 %i2
    })");
  auto* f = Get<int64_t(int64_t)>("f");
  std::atomic<int64_t> rounds = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { rounds += f(500000); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(absl::Now(), deadline);
  EXPECT_GE(Hotness("f").loops_entered, 1u);
  EXPECT_EQ(*static_cast<int64_t*>(engine_->LookupAddress("count").value()), rounds);
}

// Every third number is thrown and caught in the loop; then one leaves it.
TEST_P(PromotionTest, ExceptionsAreThrownInAndOutOfAContinuation) {
  Create(10);
  Add(R"(
    declare void @firstcall_test_throw_number(i64)
    declare i32 @firstcall_test_is_better()
    declare i32 @__gxx_personality_v0(...)
    declare ptr @__cxa_begin_catch(ptr)
    declare void @__cxa_end_catch()
    define i64 @f(i64 %n) uwtable personality ptr @__gxx_personality_v0 {
    entry:
      %sum = alloca i64
      store i64 0, ptr %sum
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %i2, %next ]
      %m = urem i64 %i, 3
      %throws = icmp eq i64 %m, 0
      br i1 %throws, label %throw, label %next
    throw:
      invoke void @firstcall_test_throw_number(i64 %i) to label %next unwind label %caught
    caught:
      %pad = landingpad { ptr, i32 } catch ptr null
      %thrown = extractvalue { ptr, i32 } %pad, 0
      %value = call ptr @__cxa_begin_catch(ptr %thrown)
      %number = load i64, ptr %value
      call void @__cxa_end_catch()
      %old = load i64, ptr %sum
      %new = add i64 %old, %number
      store i64 %new, ptr %sum
      br label %next
    next:
      %i2 = add i64 %i, 1
      %more = icmp slt i64 %i2, %n
      %better = call i32 @firstcall_test_is_better()
      %wait = icmp eq i32 %better, 0
      %on = or i1 %more, %wait
      br i1 %on, label %loop, label %end
    end:
      %thousand = icmp sge i64 %n, 1000
      br i1 %thousand, label %out, label %back
    out:
      call void @firstcall_test_throw_number(i64 %n)
      unreachable
    back:
      %r = load i64, ptr %sum
      ret i64 %r
    })");
  auto* f = Get<int64_t(int64_t)>("f");
  EXPECT_THROW(
      try { f(1000); } catch (int64_t n) {
        EXPECT_EQ(n, 1000);
        throw;
      },
      int64_t);
  EXPECT_EQ(Hotness("f").loops_entered, 1u);
  if (GetParam() == PromotionWay::kCallerDoesIt) {
    EXPECT_EQ(f(10), 0 + 3 + 6 + 9);
  }
  EXPECT_LT(absl::Now(), deadline);
}

TEST_P(PromotionTest, LongJumpsLeadToTheFrameTheyCameFrom) {
  Create(2);
  Add(R"(
    @buffer = internal global [64 x i64] zeroinitializer
    declare i32 @_setjmp(ptr) returns_twice
    declare void @longjmp(ptr, i32) noreturn
    define void @jumps(i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
      %i2 = add i64 %i, 1
      %more = icmp slt i64 %i2, %n
      br i1 %more, label %loop, label %end
    end:
      call void @longjmp(ptr @buffer, i32 9)
      unreachable
    }
    define i64 @f(i64 %n) {
    entry:
      %k = alloca i64
      store volatile i64 0, ptr %k
      br label %loop
    loop:
      %jumped = call i32 @_setjmp(ptr @buffer) returns_twice
      %is = icmp eq i32 %jumped, 9
      br i1 %is, label %back, label %go
    go:
      call void @jumps(i64 %n)
      br label %back
    back:
      %old = load volatile i64, ptr %k
      %new = add i64 %old, 1
      store volatile i64 %new, ptr %k
      %more = icmp slt i64 %new, %n
      br i1 %more, label %loop, label %end
    end:
      %r = load volatile i64, ptr %k
      ret i64 %r
    })");
  auto* f = Get<int64_t(int64_t)>("f");
  EXPECT_TRUE(IsPromotedBy("f", [&] { EXPECT_EQ(f(500), 500); }));
  EXPECT_EQ(f(500), 500);
  EXPECT_EQ(Hotness("f").continuations, 0u);
  if (GetParam() == PromotionWay::kCallerDoesIt) {  // Elsewhere its calls may be enough.
    EXPECT_GE(Hotness("jumps").loops_entered, 1u);
  }
}

TEST_P(PromotionTest, TailCallsThatMustBeTakeNoStack) {
  Create(10);
  Add(R"(
    define i64 @even(i64 %n) {
      %z = icmp eq i64 %n, 0
      br i1 %z, label %yes, label %on
    yes:
      ret i64 1
    on:
      %m = sub i64 %n, 1
      %r = musttail call i64 @odd(i64 %m)
      ret i64 %r
    }
    define i64 @odd(i64 %n) {
      %z = icmp eq i64 %n, 0
      br i1 %z, label %no, label %on
    no:
      ret i64 0
    on:
      %m = sub i64 %n, 1
      %r = musttail call i64 @even(i64 %m)
      ret i64 %r
    })");
  auto* even = Get<int64_t(int64_t)>("even");
  EXPECT_TRUE(IsPromotedBy("even", [&] { EXPECT_EQ(even(10000000), 1); }));
  EXPECT_EQ(even(10000001), 0);
}

// f executes its code again and again until it is in a continuation or in the better body.
TEST_P(PromotionTest, ComputedGotoIsLeft) {
  Create(10);
  Add(R"(
    declare i32 @firstcall_test_is_better()
    @labels = internal constant [3 x ptr] [ptr blockaddress(@f, %add), ptr blockaddress(@f, %twice),
                                           ptr blockaddress(@f, %end)]
    define i64 @f(ptr %code) {
    entry:
      br label %dispatch
    dispatch:
      %sum = phi i64 [ 1, %entry ], [ %more, %add ], [ %much, %twice ], [ 1, %end ]
      %pc = phi i64 [ 0, %entry ], [ %pc1, %add ], [ %pc2, %twice ], [ 0, %end ]
      %op.p = getelementptr i8, ptr %code, i64 %pc
      %op = load i8, ptr %op.p
      %op64 = zext i8 %op to i64
      %label.p = getelementptr [3 x ptr], ptr @labels, i64 0, i64 %op64
      %label = load ptr, ptr %label.p
      indirectbr ptr %label, [label %add, label %twice, label %end]
    add:
      %more = add i64 %sum, 1
      %pc1 = add i64 %pc, 1
      br label %dispatch
    twice:
      %double = mul i64 %sum, 2
      %much = urem i64 %double, 1000003
      %pc2 = add i64 %pc, 1
      br label %dispatch
    end:
      %better = call i32 @firstcall_test_is_better()
      %again = icmp eq i32 %better, 0
      br i1 %again, label %dispatch, label %out
    out:
      ret i64 %sum
    })");
  auto* f = Get<int64_t(const char*)>("f");
  std::string code;
  int64_t expected = 1;
  for (int i = 0; i < 200000; ++i) {
    const bool doubles = i % 7 == 3;
    code.push_back(doubles ? 1 : 0);
    expected = doubles ? expected * 2 % 1000003 : expected + 1;
  }
  code.push_back(2);
  EXPECT_EQ(f(code.data()), expected);
  EXPECT_LT(absl::Now(), deadline);
  EXPECT_GE(Hotness("f").loops_entered, 1u);
  EXPECT_TRUE(IsPromotedBy("f", [&] { EXPECT_EQ(f(code.data()), expected); }));
  EXPECT_EQ(f(code.data()), expected);
  EXPECT_EQ(Hotness("f").failures, 0u);
}

TEST_P(PromotionTest, ThreadLocalVariablesStayEachThreadsOwn) {
  Create(10);
  Add(R"(
    @count = internal thread_local global i64 100
    define i64 @f(i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
      %p = call ptr @llvm.threadlocal.address.p0(ptr @count)
      %old = load i64, ptr %p
      %new = add i64 %old, 1
      store i64 %new, ptr %p
      %i2 = add i64 %i, 1
      %more = icmp slt i64 %i2, %n
      br i1 %more, label %loop, label %end
    end:
      %q = call ptr @llvm.threadlocal.address.p0(ptr @count)
      %r = load i64, ptr %q
      ret i64 %r
    }
    declare ptr @llvm.threadlocal.address.p0(ptr))");
  auto* f = Get<int64_t(int64_t)>("f");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 1; i <= 100; ++i) EXPECT_EQ(f(1000), 100 + i * 1000);
    });
  }
  for (std::thread& thread : threads) thread.join();
  int64_t count = 100;
  EXPECT_TRUE(IsPromotedBy("f", [&] { EXPECT_EQ(f(50), count += 50); }));
  // Elsewhere its calls may have been enough.
  if (GetParam() == PromotionWay::kCallerDoesIt) {
    EXPECT_GE(Hotness("f").loops_entered, 1u);
  }
}

constexpr char kWithDebugInformation[] = R"(
  define i64 @sum(i64 %n) !dbg !4 {
  entry:
    %v = alloca i64, !dbg !7
    call void @llvm.dbg.declare(metadata ptr %v, metadata !8, metadata !DIExpression()), !dbg !7
    store i64 %n, ptr %v, !dbg !7
    br label %loop, !dbg !7
  loop:
    %i = phi i64 [ 0, %entry ], [ %j, %loop ], !dbg !10
    %sum = phi i64 [ 0, %entry ], [ %sum2, %loop ], !dbg !10
    call void @llvm.dbg.value(metadata i64 %i, metadata !9, metadata !DIExpression()), !dbg !10
    %sum2 = call i64 @add(i64 %sum, i64 %i), !dbg !10
    %j = add i64 %i, 1, !dbg !10
    %last = load i64, ptr %v, !dbg !10
    %more = icmp slt i64 %j, %last, !dbg !10
    br i1 %more, label %loop, label %end, !dbg !10
  end:
    ret i64 %sum2, !dbg !7
  }
  define internal i64 @add(i64 %a, i64 %b) !dbg !11 {
    %c = add i64 %a, %b, !dbg !12
    ret i64 %c, !dbg !12
  }
  declare void @llvm.dbg.declare(metadata, metadata, metadata)
  declare void @llvm.dbg.value(metadata, metadata, metadata)
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
  !1 = !DIFile(filename: "sum.c", directory: "/")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
  !3 = !DISubroutineType(types: !{!5, !5})
  !4 = distinct !DISubprogram(name: "sum", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
  !5 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
  !7 = !DILocation(line: 2, scope: !4)
  !8 = !DILocalVariable(name: "v", scope: !4, type: !5)
  !9 = !DILocalVariable(name: "i", scope: !4, type: !5)
  !10 = !DILocation(line: 3, scope: !4)
  !11 = distinct !DISubprogram(name: "add", file: !1, line: 8, type: !3, unit: !0, spFlags: DISPFlagDefinition | DISPFlagLocalToUnit)
  !12 = !DILocation(line: 9, scope: !11))";

TEST_P(PromotionTest, FunctionsWithDebugInformationArePromoted) {
  for (const DebugInfo debug_info : {DebugInfo::kAlways, DebugInfo::kNever}) {
    EngineOptions options;
    options.debug_info = debug_info;
    Create(10, options);
    Add(kWithDebugInformation);
    auto* sum = Get<int64_t(int64_t)>("sum");
    EXPECT_TRUE(IsPromotedBy("sum", [&] { EXPECT_EQ(sum(1000), 499500); }));
    if (GetParam() == PromotionWay::kCallerDoesIt) {  // Elsewhere its calls may be enough.
      EXPECT_GE(Hotness("sum").loops_entered, 1u);
    }
    EXPECT_EQ(Hotness("sum").failures, 0u);
  }
}

// --- Where code comes from, and where it goes ---

enum class Form { kBitcode, kText, kModule };

class PromotionSourceTest
    : public ::testing::TestWithParam<std::tuple<size_t, Form, /*is_far=*/bool>> {};

INSTANTIATE_TEST_SUITE_P(Sources, PromotionSourceTest,
                         ::testing::Combine(::testing::Values(0, 1),
                                            ::testing::Values(Form::kBitcode, Form::kText,
                                                              Form::kModule),
                                            ::testing::Bool()));

TEST_P(PromotionSourceTest, BodiesAreMadeFromAnySource) {
  const auto [threads, form, is_far] = GetParam();
  EngineOptions options;
  options.tier = Tier::kAuto;
  options.promotion.asks_when_called = true;
  options.promotion.threshold = 10;
  options.promotion.threads = threads;
  // A manager of the client's, of which nothing is known.
  if (is_far) options.memory_manager = [](std::shared_ptr<MemoryManager> own) { return own; };
  const auto bodies = std::make_shared<BetterBodies>();
  options.listeners.push_back(bodies);
  watched = bodies.get();
  deadline = absl::Now() + absl::Seconds(60);
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  const std::string text = absl::StrCat(
      kSum, "\ndefine i64 @user(i64 %n) { %r = call i64 @sum(i64 %n) ret i64 %r }\n", Spin());
  switch (form) {
    case Form::kBitcode:
      ASSERT_THAT(engine->AddBitcode(ParseToBitcode(text), "program"), IsOk());
      break;
    case Form::kText:
      ASSERT_THAT(engine->AddAssembly(text, "program"), IsOk());
      break;
    case Form::kModule: {
      auto context = std::make_unique<llvm::LLVMContext>();
      std::unique_ptr<llvm::Module> module = ParseModule(text, *context);
      ASSERT_THAT(engine->AddModule(std::move(context), std::move(module)), IsOk());
      break;
    }
  }
  auto* user = engine->Lookup<int64_t(int64_t)>("user").value();
  auto* sum = engine->Lookup<int64_t(int64_t)>("sum").value();
  int64_t calls = 0;
  const auto call = [&] {
    EXPECT_EQ(user(100), 14850);
    EXPECT_EQ(sum(10), 135);
    calls += 110;
  };
  EXPECT_TRUE(DoUntil(
      [&] { return HotnessOf(*engine, "sum").tier == 1 && HotnessOf(*engine, "user").tier == 1; },
      call));
  call();
  EXPECT_EQ(*static_cast<int64_t*>(engine->LookupAddress("calls").value()), calls);
  if (threads == 0) {  // A thread may be late for the loops of such short calls.
    EXPECT_GT(HotnessOf(*engine, "sum").loops_entered, 0u);
  }
  EXPECT_EQ(engine->Lookup<int64_t(int64_t)>("spin").value()(14), 42);
  EXPECT_LT(absl::Now(), deadline);
  EXPECT_GT(HotnessOf(*engine, "spin").loops_entered, 0u);
  for (const FunctionHotness& hotness : engine->stats().promotions.functions) {
    EXPECT_EQ(hotness.failures, 0u) << hotness.function;
  }
}

TEST_P(PromotionTest, BetterBodiesCallTheDefinitionThatReplacesAWeakOne) {
  Create(10);
  Add(R"(
    define weak i64 @f(i64 %x) { ret i64 1 }
    define i64 @g(i64 %x) { %r = call i64 @f(i64 %x) ret i64 %r })",
      "weak");
  Add("define i64 @f(i64 %x) { ret i64 2 }", "strong");
  auto* g = Get<int64_t(int64_t)>("g");
  EXPECT_TRUE(IsPromotedBy("g", [&] { EXPECT_EQ(g(0), 2); }));
  EXPECT_EQ(g(0), 2);
}

// --- Limits and failures ---

TEST_P(PromotionTest, WithoutABudgetNothingIsPromoted) {
  EngineOptions options;
  options.promotion.budget = absl::ZeroDuration();
  Create(1, options);
  Add(kSum);
  auto* sum = Get<int64_t(int64_t)>("sum");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sum(1000), 1498500);
  absl::SleepFor(absl::Milliseconds(20));
  EXPECT_EQ(sum(1000), 1498500);
  EXPECT_EQ(engine_->stats().promotions_made, 0u);
  EXPECT_EQ(Hotness("sum").tier, 0);
  EXPECT_EQ(Hotness("sum").failures, 0u);
  EXPECT_GT(Hotness("sum").polls, 100000u);
}

TEST_P(PromotionTest, WithABudgetItEnds) {
  EngineOptions options;
  options.promotion.budget = absl::Nanoseconds(1);
  Create(1, options);
  Add("define i64 @a(i64 %x) { ret i64 1 } define i64 @b(i64 %x) { ret i64 2 }");
  auto* a = Get<int64_t(int64_t)>("a");
  auto* b = Get<int64_t(int64_t)>("b");
  EXPECT_TRUE(IsPromotedBy("a", [&] { a(0); }));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(b(0), 2);
  absl::SleepFor(absl::Milliseconds(20));
  EXPECT_EQ(Hotness("b").tier, 0);
}

// Every function of clang -O0 has it, so it says nothing about one of them.
TEST_P(PromotionTest, OptNoneIsNoReasonToStaySlow) {
  constexpr char kO0[] = "define i64 @f(i64 %x) noinline optnone { ret i64 %x }";
  Create(1000);
  Add(kO0);
  auto* f = Get<int64_t(int64_t)>("f");
  EXPECT_TRUE(IsPromotedBy("f", [&] { f(1); }));
  EngineOptions options;
  options.optnone = OptNone::kKeep;
  Create(1000, std::move(options));
  Add(kO0);
  f = Get<int64_t(int64_t)>("f");
  for (int i = 0; i < 3000; ++i) f(i);
  EXPECT_EQ(Hotness("f").polls, 0u);
}

// The attributes that a front end gives to functions for any machine of this architecture.
#if defined(__x86_64__)
constexpr char kAnyMachine[] = R"("target-cpu"="x86-64" "tune-cpu"="generic")";
#else
constexpr char kAnyMachine[] = R"("target-cpu"="generic")";
#endif

// Optimized code uses all of this CPU, which may have wider registers than the functions ask for.
TEST_P(PromotionTest, VectorsArePassedTheSameBetweenBodies) {
  Create(1000);
  Add(absl::StrCat(R"(
    define <8 x float> @twice(<8 x float> %x) noinline #0 {
      %y = fadd <8 x float> %x, %x
      ret <8 x float> %y
    }
    define float @first_and_last(float %a) #0 {
      %x = insertelement <8 x float> <float 0.0, float 1.0, float 2.0, float 3.0,
                                      float 4.0, float 5.0, float 6.0, float 7.0>, float %a, i64 0
      %y = call <8 x float> @twice(<8 x float> %x)
      %first = extractelement <8 x float> %y, i64 0
      %last = extractelement <8 x float> %y, i64 7
      %sum = fadd float %first, %last
      ret float %sum
    }
    attributes #0 = {)",
                   kAnyMachine, "}"));
  auto* first_and_last = Get<float(float)>("first_and_last");
  for (const absl::string_view function : {"twice", "first_and_last"}) {
    EXPECT_TRUE(IsPromotedBy(function, [&] { ASSERT_EQ(first_and_last(3), 20); })) << function;
  }
  EXPECT_EQ(first_and_last(4), 22);
}

TEST_P(PromotionTest, OtherTiersCountNothing) {
  for (Tier tier : {Tier::kZero, Tier::kOne}) {
    EngineOptions options;
    Create(1, options, tier);
    Add(kSum);
    auto* sum = Get<int64_t(int64_t)>("sum");
    for (int i = 0; i < 100; ++i) EXPECT_EQ(sum(100), 14850);
    EXPECT_TRUE(engine_->stats().promotions.functions.empty());
    EXPECT_EQ(engine_->stats().promotions_made, 0u);
  }
}

// Has no memory when it is told so.
class TightMemory final : public MemoryManager {
 public:
  explicit TightMemory(std::shared_ptr<MemoryManager> own) : own_(std::move(own)) {}
  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override {
    if (is_full) return absl::ResourceExhaustedError("code memory: full");
    return own_->Allocate(request);
  }
  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) override {
    return own_->Finalize(blocks);
  }
  void Free(absl::Span<const MemoryBlock> blocks) override { own_->Free(blocks); }

  std::atomic<bool> is_full{false};

 private:
  const std::shared_ptr<MemoryManager> own_;
};

// The client's symbol finder throws whenever a hot function is optimized.
TEST_P(PromotionTest, WhatIsThrownWhileItIsOptimizedEndsNothing) {
  if (GetParam() == PromotionWay::kCallerDoesIt) GTEST_SKIP() << "the caller gets the exception";
  static std::atomic<int> asked;
  asked = 0;
  EngineOptions options;
  options.search_process_symbols = false;
  options.symbol_finder = [](absl::string_view name) -> void* {
    if (name != "outside") return nullptr;
    if (++asked > 1) throw 42;
    return reinterpret_cast<void*>(+[](int64_t x) { return 2 * x; });
  };
  Create(100, std::move(options));
  Add(TextOfSum("@calls_outside(i64 %n)", "%y = call i64 @outside(i64 %x)") +
      "declare i64 @outside(i64)");
  auto* const calls_outside = Get<int64_t(int64_t)>("calls_outside");
  EXPECT_TRUE(DoUntil([&] { return !Hotness("calls_outside").last_failure.empty(); },
                      [&] { EXPECT_EQ(calls_outside(10), 90); }));
  EXPECT_THAT(Hotness("calls_outside").last_failure, HasSubstr("has thrown"));
  EXPECT_EQ(calls_outside(10), 90);
}

TEST_P(PromotionTest, WhatCannotBeMadeBetterGoesOn) {
  std::shared_ptr<TightMemory> memory;
  EngineOptions options;
  options.memory_manager = [&](std::shared_ptr<MemoryManager> own) {
    return memory = std::make_shared<TightMemory>(std::move(own));
  };
  Create(10, options);
  Add(kSum);
  auto* sum = Get<int64_t(int64_t)>("sum");
  EXPECT_EQ(sum(2), 3);
  memory->is_full = true;
  // Its body and its continuation.
  EXPECT_TRUE(DoUntil([&] { return Hotness("sum").failures == 2; },
                      [&] {
                        EXPECT_EQ(sum(100), 14850);
                        for (int i = 0; i < 100; ++i) EXPECT_EQ(sum(0), 0);
                      }));
  EXPECT_EQ(Hotness("sum").tier, 0);
  EXPECT_EQ(Hotness("sum").loops_entered, 0u);
  EXPECT_THAT(Hotness("sum").last_failure, HasSubstr("optimizing function 'sum': "));
  EXPECT_THAT(Hotness("sum").last_failure, HasSubstr("code memory: full"));
  // Of the other function a thread may have counted one of the two.
  EXPECT_TRUE(
      DoUntil([&] { return engine_->stats().promotions_failed == 2u + Hotness("triple").failures; },
              [] {}));
  EXPECT_THAT(engine_->stats().last_failed_promotion,
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("code memory: full")));
  // It is not tried again.
  memory->is_full = false;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sum(100), 14850);
  EXPECT_EQ(Hotness("sum").failures, 2u);
  EXPECT_EQ(Hotness("sum").tier, 0);
}

}  // namespace
}  // namespace firstcall
