#include "backend/llvm/loop_alignment.h"

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

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kAligned[] = "!\"llvm.loop.align\", i32 32";

// The module `text` after the pass has run on its function @f.
std::string Align(const std::string& text) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder().registerFunctionAnalyses(analyses);
  LoopAlignmentPass().run(*module->getFunction("f"), analyses);
  return PrintModule(*module);
}

// A function with a loop in a loop: `latch` and `outer_latch` are their branches' ends.
std::string Nested(const std::string& attributes, const std::string& latch,
                   const std::string& outer_latch) {
  return "define void @f(i1 %a, i1 %b) " + attributes +
         " {\n"
         "  br label %outer\n"
         "outer:\n"
         "  br label %inner\n"
         "inner:\n"
         "  br i1 %a, label %inner, label %next" +
         latch +
         "\n"
         "next:\n"
         "  br i1 %b, label %outer, label %end" +
         outer_latch +
         "\n"
         "end:\n"
         "  ret void\n"
         "}\n";
}

TEST(LoopAlignmentTest, AlignsTheInnermostLoop) {
  EXPECT_THAT(Align(Nested("", "", "")),
              AllOf(HasSubstr("br i1 %a, label %inner, label %next, !llvm.loop !0"),
                    HasSubstr("br i1 %b, label %outer, label %end\n"), HasSubstr(kAligned)));
}

TEST(LoopAlignmentTest, KeepsWhatElseIsKnownOfTheLoop) {
  EXPECT_THAT(Align(Nested("", ", !llvm.loop !0", "") +
                    "!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.mustprogress\"}\n"),
              AllOf(HasSubstr("llvm.loop.mustprogress"), HasSubstr(kAligned)));
}

TEST(LoopAlignmentTest, KeepsAnAlignmentThatTheSourceAsksFor) {
  EXPECT_THAT(Align(Nested("", ", !llvm.loop !0", "") +
                    "!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.align\", i32 128}\n"),
              AllOf(HasSubstr("i32 128"), Not(HasSubstr(kAligned))));
}

TEST(LoopAlignmentTest, LeavesFunctionsThatAreToBeSmall) {
  EXPECT_THAT(Align(Nested("optsize", "", "")), Not(HasSubstr("llvm.loop")));
}

TEST(LoopAlignmentTest, LeavesFunctionsWithoutLoops) {
  EXPECT_THAT(Align("define void @f() { ret void }"), Not(HasSubstr("llvm.loop")));
}

}  // namespace
}  // namespace firstcall
