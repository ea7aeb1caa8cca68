// Each obstacle by the smallest function that has it, and what looks like one and is none.

#include "direct/body_obstacles.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

// What keeps `f` of `text` from being compiled without LLVM; "nothing".
std::string ObstacleOf(const std::string& text) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  if (module == nullptr) return "not parsed";
  ir::LlvmReader reader;
  ir::Function function;
  EXPECT_THAT(reader.Begin(*module), IsOk());
  EXPECT_THAT(reader.Read(*module->getFunction("f"), function), IsOk());
  const char* const obstacle = ObstacleIn(function);
  return obstacle == nullptr ? "nothing" : obstacle;
}

std::string WithAttribute(const std::string& attribute) {
  return absl::StrCat("define void @f() ", attribute, " { ret void }");
}

TEST(BodyObstaclesTest, PlainFunctionHasNone) {
  EXPECT_EQ(ObstacleOf(WithAttribute("nounwind uwtable \"frame-pointer\"=\"all\"")), "nothing");
}

TEST(BodyObstaclesTest, AttributesThatLlvmActsUpon) {
  EXPECT_EQ(ObstacleOf(WithAttribute("prefix i32 7")), "prefix data");
  EXPECT_EQ(ObstacleOf(WithAttribute("presplitcoroutine")), "a coroutine");
  EXPECT_EQ(ObstacleOf(WithAttribute("\"use-soft-float\"=\"true\"")), "arithmetic in software");
  EXPECT_EQ(ObstacleOf(WithAttribute("\"use-soft-float\"=\"false\"")), "nothing");
  for (const char* place : {"entry", "exit", "entry-inlined", "exit-inlined"}) {
    EXPECT_EQ(
        ObstacleOf(WithAttribute(absl::StrCat("\"instrument-function-", place, "\"=\"hook\""))),
        "hooks at entry and exit");
  }
}

TEST(BodyObstaclesTest, AssemblyWithTextIsLlvms) {
  EXPECT_EQ(ObstacleOf("define void @f() { call void asm sideeffect \"nop\", \"\"()  ret void }"),
            "inline assembly");
}

TEST(BodyObstaclesTest, CallsOfBodiesThatMustBeInlined) {
  constexpr char kCall[] = "  define void @f() { call void @g()  ret void }";
  const auto with = [&](const char* callee) { return ObstacleOf(absl::StrCat(callee, kCall)); };
  EXPECT_EQ(with("define internal void @g() alwaysinline { ret void }"),
            "calls that must be inlined");
  EXPECT_EQ(with("define available_externally void @g() alwaysinline { ret void }"),
            "calls that must be inlined");
  EXPECT_EQ(with("declare void @g() alwaysinline"), "nothing");
  EXPECT_EQ(with("define internal void @g() { ret void }"), "nothing");
  EXPECT_EQ(ObstacleOf("define internal void @g() alwaysinline { ret void } "
                       "define void @f() { call void @g() noinline  ret void }"),
            "nothing");
}

TEST(BodyObstaclesTest, LabelsOfOtherFunctions) {
  constexpr char kOther[] = R"(
    define void @g(i1 %c) { br i1 %c, label %a, label %b  a: ret void  b: ret void }
    define ptr @f() { ret ptr blockaddress(@g, %a) }
  )";
  constexpr char kOwn[] = R"(
    define ptr @f(i1 %c) {
      br i1 %c, label %a, label %b
      a: ret ptr blockaddress(@f, %b)
      b: ret ptr null
    }
  )";
  EXPECT_EQ(ObstacleOf(kOther), "addresses of blocks of other functions");
  EXPECT_EQ(ObstacleOf(kOwn), "nothing");
}

}  // namespace
}  // namespace firstcall::direct
