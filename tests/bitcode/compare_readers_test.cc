#include "tests/bitcode/compare_readers.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/bitcode/samples.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

int DefinedFunctionsOf(absl::string_view text) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  int count = 0;
  for (const llvm::Function& function : *module) count += function.isDeclaration() ? 0 : 1;
  return count;
}

// All that the sample defines is equal, but for what it says itself.
void ExpectEqual(const std::string& bitcode, const Sample& sample) {
  const absl::StatusOr<ReaderComparison> comparison = CompareReaders(bitcode);
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->equal, DefinedFunctionsOf(sample.text) - sample.refused);
  EXPECT_THAT(comparison->different, IsEmpty());
  EXPECT_THAT(comparison->invalid, IsEmpty());
  EXPECT_EQ(comparison->refused_count(), sample.refused)
      << ::testing::PrintToString(comparison->refused);
}

class CompareReadersTest : public ::testing::TestWithParam<Sample> {};

TEST_P(CompareReadersTest, BothReadTheSame) {
  ExpectEqual(ParseToBitcode(GetParam().text), GetParam());
}

TEST_P(CompareReadersTest, BothReadTheSameForATarget) {
  for (SampleTarget target : {SampleTarget::kX86_64, SampleTarget::kAArch64}) {
    ExpectEqual(ParseToBitcode(TextFor(GetParam(), target)), GetParam());
  }
}

TEST_P(CompareReadersTest, OrdersOfUsesAreSkipped) {
  const absl::StatusOr<std::string> bitcode = AssembleToBitcode(GetParam().text, Extras::kOrders);
  ASSERT_THAT(bitcode, IsOk());
  ExpectEqual(*bitcode, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Samples, CompareReadersTest, ::testing::ValuesIn(AllSamples()),
                         [](const ::testing::TestParamInfo<Sample>& info) {
                           return std::string(info.param.name);
                         });

TEST(CompareReadersFailureTest, WhatLlvmCannotReadIsInvalid) {
  EXPECT_THAT(CompareReaders("no bitcode"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("signature")));
}

TEST(CompareReadersFailureTest, WhatTheVerifierRefusesIsInvalid) {
  const absl::StatusOr<std::string> bitcode =
      AssembleToBitcode("@a = alias i32, ptr @b\n@b = alias i32, ptr @a");
  ASSERT_THAT(bitcode, IsOk());
  EXPECT_THAT(CompareReaders(*bitcode),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cycle")));
}

TEST(CompareReadersFailureTest, RefusalsAreCountedByReason) {
  const absl::StatusOr<std::string> bitcode =
      AssembleToBitcode("target datalayout = \"E\"\ndefine void @f() { ret void }");
  ASSERT_THAT(bitcode, IsOk());
  const absl::StatusOr<ReaderComparison> comparison = CompareReaders(*bitcode);
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->refused_count(), 1);
  EXPECT_THAT(comparison->different, IsEmpty());
}

TEST(AssembleToBitcodeTest, LocalNamesCanBeLeftOut) {
  constexpr absl::string_view kText = "define i32 @f(i32 %argument) { ret i32 %argument }";
  const absl::StatusOr<std::string> with = AssembleToBitcode(kText);
  const absl::StatusOr<std::string> without = AssembleToBitcode(kText, Extras::kNothing);
  ASSERT_THAT(with, IsOk());
  ASSERT_THAT(without, IsOk());
  EXPECT_LT(without->size(), with->size());
  EXPECT_THAT(CompareReaders(*without), IsOk());
}

TEST(AssembleToBitcodeTest, WrongTextIsInvalid) {
  EXPECT_THAT(AssembleToBitcode("define"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected type")));
}

TEST(ReaderComparisonTest, AddsUp) {
  ReaderComparison one, other;
  one.equal = 1;
  one.refused["a"] = 2;
  one.different = {"x"};
  other.equal = 3;
  other.refused["a"] = 1;
  other.refused["b"] = 1;
  other.different = {"y"};
  other.invalid = {"z"};
  one.Add(other);
  EXPECT_EQ(one.equal, 4);
  EXPECT_EQ(one.refused_count(), 4);
  EXPECT_EQ(one.refused["a"], 3);
  EXPECT_THAT(one.different, ElementsAre("x", "y"));
  EXPECT_THAT(one.invalid, ElementsAre("z"));
}

}  // namespace
}  // namespace firstcall::testing
