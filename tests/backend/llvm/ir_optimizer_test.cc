#include "backend/llvm/ir_optimizer.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/diagnostic_collector.h"
#include "compiler/optimization_gate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class IrOptimizerTest : public ::testing::Test {
 protected:
  IrOptimizerTest() {
    CollectDiagnostics(context_);
    EngineOptions options;
    options.tier = Tier::kOne;
    target_.emplace(MakeTarget(options));
    optimizer_ = IrOptimizer::Create(*target_).value();
  }

  // `text` optimized.
  std::string Optimize(const std::string& text) {
    std::unique_ptr<llvm::Module> module = ParseModule(text, context_);
    EXPECT_THAT(target_->Adopt(*module), IsOk());
    CpuChoice cpu;
    EXPECT_THAT(optimizer_->Optimize(module, cpu), IsOk());
    return PrintModule(*module);
  }

  llvm::LLVMContext context_;
  std::optional<Target> target_;
  std::unique_ptr<IrOptimizer> optimizer_;
};

constexpr char kCallsItsImport[] = R"(
  define available_externally i32 @add(i32 %x, i32 %y) { %z = add i32 %x, %y  ret i32 %z }
  define i32 @f(i32 %x) {
    %two = call i32 @add(i32 1, i32 1)
    %r = call i32 @add(i32 %x, i32 %two)
    ret i32 %r
  })";

TEST_F(IrOptimizerTest, LowersMatrices) {
  EXPECT_THAT(Optimize(R"(
                define <4 x double> @f(<4 x double> %m) {
                  %r = call <4 x double> @llvm.matrix.transpose.v4f64(<4 x double> %m, i32 2, i32 2)
                  ret <4 x double> %r
                }
                declare <4 x double> @llvm.matrix.transpose.v4f64(<4 x double>, i32, i32))"),
              AllOf(HasSubstr("shufflevector"), Not(HasSubstr("call"))));
}

TEST_F(IrOptimizerTest, VectorizesStraightLineCode) {
  EXPECT_THAT(Optimize(R"(
                define void @f(ptr %p, double %x) {
                  %q = getelementptr double, ptr %p, i64 1
                  %a = load double, ptr %p
                  %b = load double, ptr %q
                  %c = fmul double %a, %x
                  %d = fmul double %b, %x
                  store double %c, ptr %p
                  store double %d, ptr %q
                  ret void
                })"),
              HasSubstr("fmul <2 x double>"));
}

TEST_F(IrOptimizerTest, KeepsALoopOfCallsInOnePiece) {
  // By its profile, it ends after its first iteration.
  const std::string optimized = Optimize(R"(
                declare i32 @g(i32)
                define i32 @f(i32 %n) !prof !{!"function_entry_count", i64 1000} {
                entry:
                  br label %loop
                loop:
                  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
                  %r = call i32 @g(i32 %i)
                  %next = add i32 %i, %r
                  %ends = icmp ugt i32 %next, %n
                  br i1 %ends, label %end, label %loop, !prof !{!"branch_weights", i32 1000, i32 1000}
                end:
                  ret i32 %next
                })");
  const size_t first = optimized.find("@g(i32 %i)");
  EXPECT_NE(first, std::string::npos) << optimized;
  EXPECT_EQ(optimized.find("call i32 @g("), optimized.rfind("call i32 @g(")) << optimized;
}

TEST_F(IrOptimizerTest, AsksForTheAlignmentOfLoops) {
  EXPECT_THAT(Optimize(R"(
                define void @f(ptr %p, i32 %n) {
                  br label %loop
                loop:
                  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
                  store volatile i32 %i, ptr %p
                  %next = add i32 %i, 1
                  %more = icmp slt i32 %next, %n
                  br i1 %more, label %loop, label %end
                end:
                  ret void
                })"),
              HasSubstr("!\"llvm.loop.align\", i32 32"));
}

TEST_F(IrOptimizerTest, InlinesImportsHoweverOftenItWasUsed) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(Optimize(kCallsItsImport),
                AllOf(HasSubstr("add i32 %x, 2"), Not(HasSubstr("call")), Not(HasSubstr("@add"))))
        << "use " << i;
  }
}

// Its calls alone would cost more than what may be inlined.
TEST_F(IrOptimizerTest, WhatImportsCallIsInlinedIntoThemFirst) {
  std::string text = R"(
    define available_externally i32 @get(ptr %p) { %x = load i32, ptr %p  ret i32 %x }
    define available_externally i32 @sum(ptr %p) {
      %s0 = add i32 0, 0
  )";
  constexpr int kCalls = 20;
  for (int i = 0; i < kCalls; ++i) {
    absl::StrAppend(&text, "%x", i, " = call i32 @get(ptr %p)\n%s", i + 1, " = add i32 %s", i,
                    ", %x", i, "\n");
  }
  absl::StrAppend(&text, "ret i32 %s", kCalls, R"( }
    define i32 @f(ptr %p, ptr %q) {
      %a = call i32 @sum(ptr %p)
      %b = call i32 @sum(ptr %q)
      %r = add i32 %a, %b
      ret i32 %r
    })");
  EXPECT_THAT(Optimize(text), AllOf(Not(HasSubstr("call")), HasSubstr(", 20")));
}

TEST_F(IrOptimizerTest, WhatIsNotInlinedIsDeclaredOnly) {
  EXPECT_THAT(Optimize(R"(
    define available_externally void @stays(ptr %p) noinline { store i32 1, ptr %p  ret void }
    define void @f(ptr %p) { call void @stays(ptr %p)  ret void })"),
              AllOf(HasSubstr("call void @stays("), HasSubstr("declare void @stays("),
                    Not(HasSubstr("store"))));
}

TEST_F(IrOptimizerTest, UnoptimizedBodiesAreCleanedUp) {
  EXPECT_THAT(Optimize(R"(
    define i32 @f(i32 %x) {
      %p = alloca i32
      store i32 %x, ptr %p
      %y = load i32, ptr %p
      ret i32 %y
    })"),
              AllOf(HasSubstr("ret i32 %x"), Not(HasSubstr("alloca"))));
}

constexpr char kCopies[] = R"(
  define i32 @f(i32 %x) {
    %p = alloca i32
    store i32 %x, ptr %p
    %y = load i32, ptr %p
    ret i32 %y
  })";

TEST_F(IrOptimizerTest, StoppedGateLeavesPassesOut) {
  const auto flag = std::make_shared<StopFlag>();
  OptimizationGate gate(flag, [] {});
  context_.setOptPassGate(gate);
  EXPECT_THAT(Optimize(kCopies), Not(HasSubstr("alloca")));
  flag->Set();
  EXPECT_THAT(Optimize(kCopies), HasSubstr("alloca"));
  EXPECT_TRUE(gate.is_stopped());
}

TEST_F(IrOptimizerTest, SimplifiedBodiesHaveTheirCallsStill) {
  std::unique_ptr<llvm::Module> module = ParseModule(R"(
    define i32 @callee(i32 %x) { ret i32 %x }
    define i32 @f(i32 %x) {
      %p = alloca i32
      store i32 %x, ptr %p
      %y = load i32, ptr %p
      %z = call i32 @callee(i32 %y)
      ret i32 %z
    })",
                                                     context_);
  optimizer_->Simplify(*module->getFunction("f"));
  EXPECT_FALSE(optimizer_->is_broken());
  EXPECT_THAT(PrintModule(*module),
              AllOf(HasSubstr("call i32 @callee(i32 %x)"), Not(HasSubstr("alloca"))));
}

TEST_F(IrOptimizerTest, LocalCopiesAreMadeForTheFunctionsPassed) {
  EXPECT_THAT(Optimize(R"(
    define available_externally i32 @twice(i32 %x) { %y = add i32 %x, %x  ret i32 %y }
    define internal i32 @each(i32 %n, ptr %by) {
      %end = icmp eq i32 %n, 0
      br i1 %end, label %out, label %more
    more:
      %x = call i32 %by(i32 %n)
      %m = sub i32 %n, 1
      %rest = call i32 @each(i32 %m, ptr %by)
      %sum = mul i32 %x, %rest
      ret i32 %sum
    out:
      ret i32 1
    }
    define i32 @f(i32 %n) { %r = call i32 @each(i32 %n, ptr @twice)  ret i32 %r })"),
              Not(HasSubstr("@twice")));
}

TEST_F(IrOptimizerTest, RecursionStaysACall) {
  EXPECT_THAT(Optimize(R"(
    define i32 @f(i32 %n) {
      %leaf = icmp slt i32 %n, 2
      br i1 %leaf, label %end, label %more
    more:
      %a = sub i32 %n, 1
      %b = sub i32 %n, 2
      %x = call i32 @f(i32 %a)
      %y = call i32 @f(i32 %b)
      %z = mul i32 %x, %y
      ret i32 %z
    end:
      ret i32 %n
    })"),
              HasSubstr("call i32 @f("));
}

TEST_F(IrOptimizerTest, WhatMustNotBeOptimizedIsNot) {
  EXPECT_THAT(Optimize(R"(
    define i32 @f(i32 %x) noinline optnone {
      %y = add i32 %x, 1
      %z = add i32 %y, 1
      ret i32 %z
    })"),
              HasSubstr("add i32 %y, 1"));
}

}  // namespace
}  // namespace firstcall
