#include "backend/llvm/masked_strides.h"

#include <memory>
#include <string>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kForbidden[] = "!\"llvm.loop.vectorize.enable\", i32 0}";

// A function with a loop of 16 iterations, counted by %i, in which `index` computes %j, after the
// pass has run on it.
std::string RunOn(absl::string_view index) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(absl::StrReplaceAll(R"(
        define void @f(ptr %p, i64 %n) {
          br label %loop
        loop:
          %i = phi i64 [ 0, %0 ], [ %next, %loop ]
          INDEX
          %a = getelementptr i32, ptr %p, i64 %j
          store i32 1, ptr %a
          %next = add nuw nsw i64 %i, 1
          %more = icmp ult i64 %next, 16
          br i1 %more, label %loop, label %end
        end:
          ret void
        })",
                                                                         {{"INDEX", index}}),
                                                     context);
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder().registerFunctionAnalyses(analyses);
  MaskedStridesPass().run(*module->getFunction("f"), analyses);
  return PrintModule(*module);
}

TEST(MaskedStridesTest, ForbidsItWhereAnAddressWrapsAround) {
  EXPECT_THAT(RunOn("%k = mul nuw nsw i64 %i, 3\n %j = and i64 %k, 15"), HasSubstr(kForbidden));
  EXPECT_THAT(RunOn("%k = mul i64 %i, 40\n %t = trunc i64 %k to i8\n %j = zext i8 %t to i64"),
              HasSubstr(kForbidden));
}

TEST(MaskedStridesTest, LeavesOtherLoops) {
  EXPECT_THAT(RunOn("%j = add i64 %i, %n"), Not(HasSubstr(kForbidden)));
  EXPECT_THAT(RunOn("%j = mul i64 %i, 3"), Not(HasSubstr(kForbidden)));
  // The address is the same in all iterations.
  EXPECT_THAT(RunOn("%j = and i64 %n, 15"), Not(HasSubstr(kForbidden)));
  // The index has enough bits.
  EXPECT_THAT(RunOn("%t = trunc i64 %i to i32\n %m = mul i32 %t, 3\n %j = zext i32 %m to i64"),
              Not(HasSubstr(kForbidden)));
}

}  // namespace
}  // namespace firstcall
