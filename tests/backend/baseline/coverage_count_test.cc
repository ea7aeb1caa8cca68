#include "tests/backend/baseline/coverage_count.h"

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::baseline {
namespace {

constexpr char kTarget[] = R"(
  target datalayout =
      "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
  target triple = "x86_64-pc-linux-gnu"
)";

TEST(CoverageCountTest, CountsFunctionsAndInstructionsByReason) {
  ASSERT_OK_AND_ASSIGN(const CoverageCount count,
                       CountCoverage(ParseToBitcode(std::string(kTarget) + R"(
    declare void @g()
    define i32 @covered(i32 %a) {
      %b = add i32 %a, 1
      ret i32 %b
    }
    define void @assembly() {
      call void asm "nop", ""()
      call void @g()
      ret void
    }
    define void @naked() naked { unreachable }
  )")));
  EXPECT_EQ(TextOf(count),
            "3 functions, 6 instructions; covered: 33.33 % of functions, 33.33 % of instructions\n"
            "  1 functions, 3 instructions: inline assembly\n"
            "  1 functions, 1 instructions: function attribute\n");
}

// What compilers add by default in distributions, and by their sanitizers.
TEST(CoverageCountTest, HardenedFunctionsAreCovered) {
  ASSERT_OK_AND_ASSIGN(const CoverageCount count,
                       CountCoverage(ParseToBitcode(std::string(kTarget) + R"(
    declare void @g(ptr)
    define void @weak() ssp { %a = alloca [8 x i8] call void @g(ptr %a) ret void }
    define void @strong() sspstrong { %a = alloca i8 call void @g(ptr %a) ret void }
    define void @all() sspreq { ret void }
    define void @probes(i64 %n) "probe-stack"="inline-asm" {
      %a = alloca i8, i64 %n
      %b = alloca [100000 x i8]
      call void @g(ptr %a)
      call void @g(ptr %b)
      ret void
    }
    define i64 @clears(i64 %n) "zero-call-used-regs"="used-gpr" { ret i64 %n }
    define void @address() sanitize_address { ret void }
    define void @thread() sanitize_thread { ret void }
    define void @memory() sanitize_memory { ret void }
    !llvm.module.flags = !{!0, !1}
    !0 = !{i32 8, !"cf-protection-branch", i32 1}
    !1 = !{i32 8, !"cf-protection-return", i32 1}
  )")));
  EXPECT_TRUE(count.refused.empty()) << TextOf(count);
  EXPECT_EQ(count.all.functions, 8);
}

// A flag whose value is a text.
TEST(CoverageCountTest, GuardsThatTheModuleMovesAreNotCovered) {
  ASSERT_OK_AND_ASSIGN(const CoverageCount count,
                       CountCoverage(ParseToBitcode(std::string(kTarget) + R"(
    define void @f() sspreq { ret void }
    !llvm.module.flags = !{!0}
    !0 = !{i32 1, !"stack-protector-guard-reg", !"gs"}
  )")));
  EXPECT_EQ(count.refused.count("function attribute"), 1u) << TextOf(count);
}

TEST(CoverageCountTest, FailsForOtherBytes) {
  EXPECT_EQ(CountCoverage("text").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace firstcall::baseline
