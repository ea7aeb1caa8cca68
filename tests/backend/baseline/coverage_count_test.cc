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
            "  1 functions, 3 instructions: inline assembly: call void of ptr\n"
            "  1 functions, 1 instructions: function attribute\n");
}

TEST(CoverageCountTest, CountsAreAdded) {
  CoverageCount sum, other;
  sum.all = {2, 20};
  sum.refused["a"] = {1, 5};
  other.all = {3, 30};
  other.refused["a"] = {1, 2};
  other.refused["b"] = {2, 3};
  Add(other, sum);
  EXPECT_EQ(sum.all.functions, 5);
  EXPECT_EQ(sum.all.instructions, 50);
  EXPECT_EQ(sum.refused["a"].instructions, 7);
  EXPECT_EQ(sum.refused["b"].functions, 2);
}

// The reader of bitcode does not say who uses the table.
TEST(CoverageCountTest, TablesOfLabelsAreCovered) {
  ASSERT_OK_AND_ASSIGN(const CoverageCount count,
                       CountCoverage(ParseToBitcode(std::string(kTarget) + R"(
    @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
    define i32 @f(i64 %i) {
      %p = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
      %t = load ptr, ptr %p
      indirectbr ptr %t, [label %a, label %b]
    a:
      ret i32 1
    b:
      ret i32 2
    }
  )")));
  EXPECT_TRUE(count.refused.empty()) << TextOf(count);
}

// What compilers add by default in distributions, and by their sanitizers.
// As AddressSanitizer writes them: with a red zone, and in a list.
TEST(CoverageCountTest, TablesOfLabelsThatDataNamesAreCovered) {
  ASSERT_OK_AND_ASSIGN(const CoverageCount count,
                       CountCoverage(ParseToBitcode(std::string(kTarget) + R"(
    @table = internal constant { [2 x ptr], [48 x i8] } {
      [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)], [48 x i8] zeroinitializer }
    @0 = private alias { [2 x ptr], [48 x i8] }, ptr @table
    @list = private global { i64, i64 } { i64 ptrtoint (ptr @0 to i64), i64 64 }
    @llvm.compiler.used = appending global [2 x ptr] [ptr @table, ptr @list]
    define i32 @f(i64 %i) {
      %p = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
      %t = load ptr, ptr %p
      indirectbr ptr %t, [label %a, label %b]
    a:
      ret i32 1
    b:
      ret i32 2
    })")));
  EXPECT_TRUE(count.refused.empty()) << TextOf(count);
}

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
