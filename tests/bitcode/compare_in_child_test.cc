#include "tests/bitcode/compare_in_child.h"

#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tests/bitcode/compare_readers.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::testing {
namespace {

TEST(CompareInChildTest, GoodBitcodeIsEqual) {
  const absl::StatusOr<std::string> bitcode =
      AssembleToBitcode("define i32 @f(i32 %x) { ret i32 %x }");
  ASSERT_THAT(bitcode, IsOk());
  const ChildComparison comparison = CompareReadersInChild(*bitcode);
  EXPECT_EQ(comparison.verdict, ChildVerdict::kEqual);
  EXPECT_EQ(comparison.difference, "");
}

TEST(CompareInChildTest, WhatLlvmRefusesHasNoVerdict) {
  EXPECT_EQ(CompareReadersInChild("no bitcode").verdict, ChildVerdict::kNoVerdict);
  EXPECT_EQ(CompareReadersInChild("").verdict, ChildVerdict::kNoVerdict);
}

}  // namespace
}  // namespace firstcall::testing
