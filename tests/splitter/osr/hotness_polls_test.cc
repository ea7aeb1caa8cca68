#include "splitter/osr/hotness_polls.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "splitter/osr/loop_entries.h"
#include "tests/splitter/osr/reference_jit.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Who is asked writes down by which loop, and lets `period` polls pass until the next time.
struct Asked {
  std::vector<uint32_t> loops;
  int32_t period = 0;
  void* answer = nullptr;
};

void* Answer(HotnessCounter* counter, uint32_t loop) {
  auto* asked = static_cast<Asked*>(counter->owner.load());
  asked->loops.push_back(loop);
  counter->left.store(asked->period);
  return loop == kNoLoop ? nullptr : asked->answer;
}

class HotnessPollsTest : public ::testing::TestWithParam<bool> {
 protected:
  // Makes @f of `text` count with a counter of the test's.
  void Load(const std::string& text, bool asks_when_called = true, size_t allowance = SIZE_MAX) {
    module_ = ParseModule(text, *context_);
    ASSERT_NE(module_, nullptr);
    module_->setDataLayout(ReferenceDataLayout());
    llvm::Function& function = *module_->getFunction("f");
    const Labels labels = FindLabels(function);
    LoopEntries entries(function, labels, LoopEntries::Purpose::kPolls);
    loops_ = entries.size();
    const size_t before = CountInstructions(function);
    chosen_ = ChoosePolls(function, entries, allowance, taken_);
    AddHotnessPolls(function, *DeclareHotnessCounter(*module_, "counter", /*is_near=*/false),
                    entries, chosen_, asks_when_called);
    added_ = CountInstructions(function) - before;
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
  }

  template <typename Signature>
  Signature* Compile() {
    counter_.left = 0;
    counter_.handler = &Answer;
    counter_.owner = &asked_;
    jit_ = std::make_unique<ReferenceJit>(std::move(module_), GetParam(),
                                          std::map<std::string, void*>{{"counter", &counter_}});
    return jit_->Address<Signature>("f");
  }

  size_t loops_ = 0;
  std::vector<uint32_t> chosen_;
  size_t taken_ = 0;
  size_t added_ = 0;  // Instructions.
  Asked asked_;
  HotnessCounter counter_;
  std::unique_ptr<llvm::LLVMContext> context_ = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<ReferenceJit> jit_;
};

INSTANTIATE_TEST_SUITE_P(Optimized, HotnessPollsTest, ::testing::Bool());

constexpr char kSum[] = R"(
  define i64 @f(i64 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %body ]
    %sum = phi i64 [ 0, %entry ], [ %sum2, %body ]
    %more = icmp slt i64 %i, %n
    br i1 %more, label %body, label %end
  body:
    %sum2 = add i64 %sum, %i
    %i2 = add i64 %i, 1
    br label %loop
  end:
    ret i64 %sum
  })";

TEST_P(HotnessPollsTest, CallsAndIterationsAreCountedAndAskedForWhenItHasRunOut) {
  Load(kSum);
  EXPECT_EQ(loops_, 1u);
  auto* f = Compile<int64_t(int64_t)>();
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f(3), 3);  // The call; the loop for 0, 1, 2, and the time it ends.
  EXPECT_THAT(asked_.loops, ElementsAre(kNoLoop, 0, 0, 0, 0));
  asked_.loops.clear();
  counter_.left = 100;
  EXPECT_EQ(f(10), 45);
  EXPECT_THAT(asked_.loops, IsEmpty());
  EXPECT_EQ(counter_.left, 100 - 12);
  // Not at 0, but at less.
  counter_.left = 12;
  EXPECT_EQ(f(10), 45);
  EXPECT_THAT(asked_.loops, IsEmpty());
  EXPECT_EQ(counter_.left, 0);
  asked_.period = 4;
  EXPECT_EQ(f(10), 45);  // At polls 1, 6, 11.
  EXPECT_THAT(asked_.loops, ElementsAre(kNoLoop, 0, 0));
}

struct Live {
  int64_t n, i, sum;
};
int64_t Continuation(const Live* live) { return -(live->n * 10000 + live->i * 100 + live->sum); }

TEST_P(HotnessPollsTest, TheAnswerIsCalledWithWhatLivesAndGivesTheResult) {
  Load(kSum);
  auto* f = Compile<int64_t(int64_t)>();
  ASSERT_NE(f, nullptr);
  asked_.answer = reinterpret_cast<void*>(&Continuation);
  counter_.left = 1 + 3;  // The fifth poll: the loop's fourth iteration.
  EXPECT_EQ(f(9), -(9 * 10000 + 3 * 100 + 0 + 1 + 2));
  EXPECT_THAT(asked_.loops, ElementsAre(0));
}

TEST_P(HotnessPollsTest, LoopsMayPollAlone) {
  Load(kSum, /*asks_when_called=*/false);
  auto* f = Compile<int64_t(int64_t)>();
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f(3), 3);
  EXPECT_THAT(asked_.loops, ElementsAre(0, 0, 0, 0));
  counter_.left = 100;
  EXPECT_EQ(f(10), 45);
  EXPECT_EQ(counter_.left, 100 - 11);
}

constexpr char kNested[] = R"(
    define i64 @f(i64 %n) {
    entry:
      br label %outer
    outer:
      %i = phi i64 [ 0, %entry ], [ %i2, %tail ]
      br label %inner
    inner:
      %j = phi i64 [ 0, %outer ], [ %j2, %inner ]
      %j2 = add i64 %j, 1
      %again = icmp slt i64 %j2, 2
      br i1 %again, label %inner, label %tail
    tail:
      %i2 = add i64 %i, 1
      %more = icmp slt i64 %i2, %n
      br i1 %more, label %outer, label %end
    end:
      ret i64 %i2
    })";

// Within a quarter: addresses are not counted, because fast instruction selection folds them.
TEST_P(HotnessPollsTest, PollsTakeWhatTheyAreSaidTo) {
  for (const char* text : {kSum, kNested}) {
    Load(text, /*asks_when_called=*/false);
    EXPECT_GE(added_, taken_);
    EXPECT_LE(added_, taken_ + taken_ / 4);
  }
}

TEST_P(HotnessPollsTest, OuterLoopsPollFirstIfNotAllMay) {
  Load(kNested, /*asks_when_called=*/false);
  const size_t all = taken_;
  ASSERT_EQ(chosen_.size(), 2u);
  Load(kNested, /*asks_when_called=*/false, all);
  EXPECT_EQ(chosen_.size(), 2u);
  Load(kNested, /*asks_when_called=*/false, 0);
  EXPECT_TRUE(chosen_.empty());
  EXPECT_EQ(taken_, 0u);
  EXPECT_EQ(added_, 0u);
  Load(kNested, /*asks_when_called=*/false, all - 1);
  ASSERT_EQ(chosen_.size(), 1u);
  EXPECT_LT(taken_, all);
  auto* f = Compile<int64_t(int64_t)>();
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f(7), 7);
  EXPECT_EQ(asked_.loops, std::vector<uint32_t>(7, chosen_[0]));
}

TEST_P(HotnessPollsTest, EachLoopHasItsNumber) {
  Load(kNested);
  ASSERT_EQ(loops_, 2u);
  const std::string text = PrintModule(*module_);
  auto* f = Compile<int64_t(int64_t)>();
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f(2), 2);
  ASSERT_EQ(asked_.loops.size(), 7u);
  const uint32_t outer = asked_.loops[1];
  EXPECT_LT(outer, 2u);
  const uint32_t inner = 1 - outer;
  EXPECT_THAT(asked_.loops, ElementsAre(kNoLoop, outer, inner, inner, outer, inner, inner));
}

// Behind the poll the frame's variables would be dynamic ones.
// A label is passed as which one it is, because its address is no use to another body.
TEST_P(HotnessPollsTest, LabelsArePassedByNumber) {
  Load(R"(
    @table = internal constant [2 x ptr] [ptr blockaddress(@f, %two), ptr blockaddress(@f, %one)]
    define i32 @f(i32 %n) {
    entry:
      %odd = and i32 %n, 1
      %big = icmp sgt i32 %n, 99
      %place = getelementptr [2 x ptr], ptr @table, i32 0, i32 %odd
      %l = load ptr, ptr %place
      %to = select i1 %big, ptr null, ptr %l
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %i2, %loop ]
      %i2 = add i32 %i, 1
      %more = icmp slt i32 %i2, 5
      br i1 %more, label %loop, label %end
    end:
      br i1 %big, label %three, label %go
    go:
      indirectbr ptr %to, [label %two, label %one]
    one:
      ret i32 1
    two:
      ret i32 2
    three:
      ret i32 3
    })",
       /*asks_when_called=*/false);
  auto* f = Compile<int32_t(int32_t)>();
  ASSERT_NE(f, nullptr);
  struct Values {
    bool big;
    int32_t to, i;
  };
  asked_.answer = reinterpret_cast<void*>(
      +[](const Values* values) { return 1000 + 100 * values->to + 10 * values->big + values->i; });
  counter_.left = 2;
  EXPECT_EQ(f(7), 1002);
  counter_.left = 2;
  EXPECT_EQ(f(8), 1102);
  // What is none cannot be passed: the function goes on.
  asked_.loops.clear();
  asked_.period = 100;
  counter_.left = 2;
  EXPECT_EQ(f(100), 3);
  EXPECT_THAT(asked_.loops, ElementsAre(0));
}

TEST_P(HotnessPollsTest, ComputedGotosPollFirst) {
  Load(R"(
    define void @f(ptr %p) {
    entry:
      br label %first
    first:
      %more = load volatile i1, ptr %p
      br i1 %more, label %first, label %next
    next:
      %to = phi ptr [ blockaddress(@f, %next.1), %first ]
      br label %dispatch
    next.1:
      br label %dispatch
    dispatch:
      indirectbr ptr blockaddress(@f, %end), [label %next.1, label %end]
    end:
      ret void
    })",
       /*asks_when_called=*/false, /*allowance=*/24);
  ASSERT_EQ(loops_, 2u);
  ASSERT_EQ(chosen_.size(), 1u);
  const llvm::Function& f = *module_->getFunction("f");
  for (const llvm::BasicBlock& block : f) {
    // The poll is where the block was.
    if (block.getName() == "first") {
      EXPECT_EQ(block.size(), 2u);
    }
    if (block.getName() == "dispatch") {
      EXPECT_GT(block.size(), 1u);
    }
  }
}

TEST_P(HotnessPollsTest, VariablesStayInTheFrame) {
  Load(R"(
    define i32 @f(i32 %n) {
      %one = alloca i32
      store i32 %n, ptr %one
      %two = alloca [8 x i32]
      store i32 5, ptr %two
      br label %loop
    loop:
      %old = load i32, ptr %one
      %new = sub i32 %old, 1
      store i32 %new, ptr %one
      %more = icmp sgt i32 %new, 0
      br i1 %more, label %loop, label %end
    end:
      %r = load i32, ptr %two
      ret i32 %r
    })");
  int variables = 0;
  for (llvm::Instruction& instruction : llvm::instructions(*module_->getFunction("f"))) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable == nullptr) continue;
    ++variables;
    EXPECT_TRUE(variable->isStaticAlloca());
  }
  EXPECT_EQ(variables, 3);  // The third is for what lives.
  auto* f = Compile<int32_t(int32_t)>();
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f(3), 5);
}

TEST_P(HotnessPollsTest, FunctionsWithoutResultReturnNone) {
  Load(R"(
    define void @f(ptr %p) {
    entry:
      br label %loop
    loop:
      %old = load i32, ptr %p
      %new = sub i32 %old, 1
      store i32 %new, ptr %p
      %more = icmp sgt i32 %new, 0
      br i1 %more, label %loop, label %end
    end:
      ret void
    })");
  auto* f = Compile<void(int*)>();
  ASSERT_NE(f, nullptr);
  asked_.answer = reinterpret_cast<void*>(+[](int** live) { **live += 1000; });
  counter_.left = 1 + 2;
  int value = 10;
  f(&value);
  EXPECT_EQ(value, 10 - 2 + 1000);
}

TEST_P(HotnessPollsTest, NearCountersNeedNoTable) {
  module_ = ParseModule("define void @f() { ret void }", *context_);
  EXPECT_TRUE(DeclareHotnessCounter(*module_, "near", /*is_near=*/true)->isDSOLocal());
  EXPECT_FALSE(DeclareHotnessCounter(*module_, "far", /*is_near=*/false)->isDSOLocal());
}

}  // namespace
}  // namespace firstcall
