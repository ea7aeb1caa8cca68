#include "backend/llvm/loop_peeling.h"

#include <memory>
#include <string>

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

constexpr char kForbidden[] = "br i1 %a, label %loop, label %end, !llvm.loop";
constexpr char kProfile[] = "!prof !{!\"function_entry_count\", i64 5}";

// A function whose loop consists of `body`, after the pass has run on it.
std::string RunOn(const std::string& body, const std::string& profile) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(
      "declare void @g()\n"
      "declare double @llvm.sqrt.f64(double)\n"
      "define void @f(i1 %a, ptr %p, double %x) " +
          profile +
          " {\n"
          "  br label %loop\n"
          "loop:\n" +
          body +
          "  br i1 %a, label %loop, label %end\n"
          "end:\n"
          "  ret void\n"
          "}\n",
      context);
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder().registerFunctionAnalyses(analyses);
  LoopPeelingPass().run(*module->getFunction("f"), analyses);
  return PrintModule(*module);
}

TEST(LoopPeelingTest, ForbidsItWhereTheLoopCalls) {
  EXPECT_THAT(RunOn("  call void @g()\n", kProfile), HasSubstr(kForbidden));
  EXPECT_THAT(RunOn("  call void %p()\n", kProfile), HasSubstr(kForbidden));
}

TEST(LoopPeelingTest, LeavesLoopsWithoutCalls) {
  EXPECT_THAT(RunOn("  %y = call double @llvm.sqrt.f64(double %x)\n", kProfile),
              Not(HasSubstr(kForbidden)));
  EXPECT_THAT(RunOn("", kProfile), Not(HasSubstr(kForbidden)));
}

TEST(LoopPeelingTest, LeavesFunctionsWithoutProfile) {
  EXPECT_THAT(RunOn("  call void @g()\n", ""), Not(HasSubstr(kForbidden)));
}

}  // namespace
}  // namespace firstcall
