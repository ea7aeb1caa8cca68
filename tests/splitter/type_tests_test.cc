#include "splitter/type_tests.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kDeclarations[] = R"(
  declare i1 @llvm.type.test(ptr, metadata)
  declare i1 @llvm.public.type.test(ptr, metadata)
  declare { ptr, i1 } @llvm.type.checked.load(ptr, i32, metadata)
  declare { ptr, i1 } @llvm.type.checked.load.relative(ptr, i32, metadata)
  declare void @llvm.assume(i1)
)";

// The body of @f after its tests were lowered; the error if there is one.
absl::StatusOr<std::string> Lowered(absl::string_view function) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module =
      ParseModule(absl::StrCat(kDeclarations, function), context);
  llvm::Function& f = *module->getFunction("f");
  if (absl::Status status = LowerTypeTests(f); !status.ok()) return status;
  EXPECT_FALSE(llvm::verifyModule(*module));
  // Nothing is left to do.
  EXPECT_THAT(LowerTypeTests(f), IsOk());
  std::string text;
  llvm::raw_string_ostream stream(text);
  f.print(stream);
  return text;
}

TEST(TypeTestsTest, WhatIsAssumedOfThemIsRemoved) {
  ASSERT_OK_AND_ASSIGN(std::string text, Lowered(R"(
    define ptr @f(ptr %table) {
      %is = call i1 @llvm.type.test(ptr %table, metadata !"type")
      call void @llvm.assume(i1 %is)
      %function = load ptr, ptr %table
      ret ptr %function
    })"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("type")), Not(HasSubstr("assume")),
                          HasSubstr("load ptr, ptr %table")));
}

TEST(TypeTestsTest, AnAssumptionMayUseAResultTwice) {
  ASSERT_OK_AND_ASSIGN(std::string text, Lowered(R"(
    define void @f(ptr %table) {
      %is = call i1 @llvm.type.test(ptr %table, metadata !"type")
      call void @llvm.assume(i1 true) ["ignore"(i1 %is)]
      ret void
    })"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("type")), Not(HasSubstr("assume"))));
}

TEST(TypeTestsTest, ResultsMayBeMergedBeforeTheyAreAssumed) {
  ASSERT_OK_AND_ASSIGN(std::string text, Lowered(R"(
    define void @f(ptr %table, i1 %which) {
      br i1 %which, label %one, label %other
    one:
      %a = call i1 @llvm.type.test(ptr %table, metadata !"a")
      br label %end
    other:
      %b = call i1 @llvm.type.test(ptr %table, metadata !"b")
      br label %end
    end:
      %is = phi i1 [ %a, %one ], [ %b, %other ]
      call void @llvm.assume(i1 %is)
      ret void
    })"));
  EXPECT_THAT(text, HasSubstr("phi i1 [ true, %one ], [ true, %other ]"));
}

TEST(TypeTestsTest, PublicTypesAreNotKnownToBeHidden) {
  ASSERT_OK_AND_ASSIGN(std::string text, Lowered(R"(
    define i1 @f(ptr %table) {
      %is = call i1 @llvm.public.type.test(ptr %table, metadata !"type")
      ret i1 %is
    })"));
  EXPECT_THAT(text, HasSubstr("ret i1 true"));
}

TEST(TypeTestsTest, CheckedLoadsAreLoads) {
  ASSERT_OK_AND_ASSIGN(std::string text, Lowered(R"(
    define ptr @f(ptr %table) {
      %both = call { ptr, i1 } @llvm.type.checked.load(ptr %table, i32 16, metadata !"type")
      %is = extractvalue { ptr, i1 } %both, 1
      call void @llvm.assume(i1 %is)
      %function = extractvalue { ptr, i1 } %both, 0
      ret ptr %function
    })"));
  EXPECT_THAT(text, AllOf(HasSubstr("getelementptr i8, ptr %table, i32 16"),
                          HasSubstr("load ptr, ptr %1"), Not(HasSubstr("type"))));
}

TEST(TypeTestsTest, CheckedLoadsOfDistancesAreLoads) {
  ASSERT_OK_AND_ASSIGN(std::string text, Lowered(R"(
    define ptr @f(ptr %table) {
      %both = call { ptr, i1 } @llvm.type.checked.load.relative(ptr %table, i32 8, metadata !"type")
      %function = extractvalue { ptr, i1 } %both, 0
      ret ptr %function
    })"));
  EXPECT_THAT(text, HasSubstr("call ptr @llvm.load.relative.i32(ptr %table, i32 8)"));
}

TEST(TypeTestsTest, CodeThatDependsOnThemIsUnimplemented) {
  const auto is_refused = StatusIs(
      absl::StatusCode::kUnimplemented,
      "its code depends on the test of a type, which only LLVM's static linker can answer");
  EXPECT_THAT(Lowered(R"(
    define i1 @f(ptr %table) {
      %is = call i1 @llvm.type.test(ptr %table, metadata !"type")
      ret i1 %is
    })"),
              is_refused);
  EXPECT_THAT(Lowered(R"(
    define i1 @f(ptr %table) {
      %both = call { ptr, i1 } @llvm.type.checked.load(ptr %table, i32 0, metadata !"type")
      %is = extractvalue { ptr, i1 } %both, 1
      ret i1 %is
    })"),
              is_refused);
}

}  // namespace
}  // namespace firstcall
