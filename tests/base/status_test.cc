#include "base/status.h"

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

TEST(StatusTest, AnnotateKeepsCodeAndOk) {
  EXPECT_THAT(Annotate(absl::NotFoundError("b"), "a"),
              StatusIs(absl::StatusCode::kNotFound, "a: b"));
  EXPECT_THAT(Annotate(absl::OkStatus(), "a"), IsOk());
}

TEST(StatusTest, WhatTheSystemLacksForNowMayPass) {
  EXPECT_TRUE(MayPass(absl::ResourceExhaustedError("no memory")));
  EXPECT_TRUE(MayPass(absl::UnavailableError("no server")));
  EXPECT_TRUE(MayPass(absl::DeadlineExceededError("no answer")));
  EXPECT_FALSE(MayPass(absl::OkStatus()));
  EXPECT_FALSE(MayPass(absl::InvalidArgumentError("bad")));
  EXPECT_FALSE(MayPass(absl::NotFoundError("no symbol")));
}

absl::StatusOr<int> HalfOf(int number) {
  if (number % 2 != 0) return absl::InvalidArgumentError("odd");
  return number / 2;
}

absl::StatusOr<int> QuarterOf(int number) {
  FIRSTCALL_ASSIGN_OR_RETURN(int half, HalfOf(number));
  FIRSTCALL_RETURN_IF_ERROR(HalfOf(half).status());
  return half / 2;
}

TEST(StatusTest, MacrosPassErrorsOn) {
  ASSERT_OK_AND_ASSIGN(int quarter, QuarterOf(8));
  EXPECT_EQ(quarter, 2);
  EXPECT_THAT(QuarterOf(7), StatusIs(absl::StatusCode::kInvalidArgument, "odd"));
  EXPECT_THAT(QuarterOf(6), StatusIs(absl::StatusCode::kInvalidArgument, "odd"));
}

}  // namespace
}  // namespace firstcall
