// Values stay in registers from a branch to the next block, if control comes there in no other way.

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/edges.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/backend/baseline/compile_llvm.h"
#include "tests/backend/baseline/expect_same.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::baseline {
namespace {

// More values than an architecture has registers that belong to a value for its whole life.
constexpr int kValues = 40;

std::string Values() {
  std::string text;
  for (int i = 0; i < kValues; ++i) {
    absl::StrAppend(&text, absl::Substitute("  %v$0 = call i64 @llvm.bswap.i64(i64 %v$1)\n", i,
                                            i == 0 ? std::string("start") : absl::StrCat(i - 1)));
  }
  return text;
}

// Instructions that use the values from `first` on. The result is %`name`.
std::string SumOf(int first, const std::string& name) {
  std::string text = absl::Substitute("  %$0.$1 = xor i64 %v$1, 1\n", name, first);
  for (int i = first + 1; i < kValues; ++i) {
    absl::StrAppend(&text, absl::Substitute("  %$0.$1 = add i64 %$0.$2, %v$1\n", name, i, i - 1));
  }
  return absl::StrCat(text, "  %", name, " = mul i64 %", name, ".", kValues - 1, ", 3\n");
}

// The bytes of the code in which the next block, or the other block uses values.
size_t CodeBytes(const char* triple, bool next_uses_values) {
  const std::string sum = SumOf(kValues - 8, next_uses_values ? "next.sum" : "other.sum");
  const std::string text = absl::StrCat(
      "declare i64 @llvm.bswap.i64(i64)\n"
      "define i64 @f(i64 %vstart, i64 %b) {\n",
      Values(), "  %sum = add i64 %v39, %b\n", "  %c = icmp slt i64 %sum, 5\n",
      "  br i1 %c, label %other, label %next\n", "next:\n", next_uses_values ? sum : "",
      next_uses_values ? "  ret i64 %next.sum\n" : "  ret i64 1\n", "other:\n",
      next_uses_values ? "" : sum, next_uses_values ? "  ret i64 1\n" : "  ret i64 %other.sum\n",
      "}\n");
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  if (module == nullptr) return 0;
  const auto compiler = BaselineCompiler::Create(triple, BaselineOptions());
  EXPECT_THAT(compiler.status(), IsOk());
  CompiledCode code;
  EXPECT_EQ(CompileLlvm(**compiler, *module->getFunction("f"), code), Refusal::kNone);
  return code.symbols[0].size;
}

TEST(BranchRegistersTest, TheNextBlockNeedsNoFrame) {
  for (const char* triple : {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"}) {
    const size_t next = CodeBytes(triple, true), other = CodeBytes(triple, false);
    EXPECT_NE(next, 0u);
    EXPECT_LT(next, other) << triple;
  }
}

// Values are stored on one way and not on another, are stored later on one of two ways that meet,
// and are used in loops, behind calls and by phis on both edges.
TEST(BranchRegistersTest, WhatIsStoredOnOneWayOnlyIsNotReadOnAnother) {
  ExpectSame(absl::StrCat(R"(
declare i64 @llvm.bswap.i64(i64)
@g = global i64 0
define internal i64 @callee(i64 %x) noinline {
  %old = load i64, ptr @g
  %new = add i64 %old, %x
  store i64 %new, ptr @g
  ret i64 %new
}
define i64 @f(i64 %vstart, i64 %b) {
entry:
  store i64 0, ptr @g
)",
                          Values(), R"(
  %c = icmp slt i64 %v39, %b
  br i1 %c, label %first, label %second
first:
  %called = call i64 @callee(i64 %v3)
)",
                          SumOf(20, "a"), R"(
  %c1 = icmp ugt i64 %a, %called
  br i1 %c1, label %loop, label %meet
loop:
  %i = phi i64 [ 0, %first ], [ %i1, %loop ]
  %t = phi i64 [ %a, %first ], [ %t1, %loop ]
  %x = mul i64 %t, %v7
  %t1 = add i64 %x, %v9
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, 5
  br i1 %more, label %loop, label %meet
second:
)",
                          SumOf(10, "s"), R"(
  %c2 = icmp eq i64 %s, 0
  br i1 %c2, label %end, label %third
third:
  %divisor = or i64 %v12, 1
  %q = udiv i64 %s, %divisor
  %c3 = icmp ult i64 %q, %v1
  br i1 %c3, label %meet, label %fourth
fourth:
  %r = call i64 @callee(i64 %q)
  %w = add i64 %r, %v5
  br label %meet
meet:
  %p = phi i64 [ %a, %first ], [ %t1, %loop ], [ %v2, %third ], [ %w, %fourth ]
)",
                          SumOf(0, "m"), R"(
  %n = xor i64 %m, %p
  br label %end
end:
  %result = phi i64 [ %v4, %second ], [ %n, %meet ]
  %last = add i64 %result, %v6
  ret i64 %last
})"));
}

}  // namespace
}  // namespace firstcall::baseline
