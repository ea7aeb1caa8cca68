#include "base/status.h"

#include "gtest/gtest.h"
#include "llvm/Support/Error.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

llvm::Error LlvmError(const char* text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

TEST(StatusTest, LlvmErrorBecomesStatusWithOperation) {
  EXPECT_THAT(FromLlvm(LlvmError("bad bits"), absl::StatusCode::kInvalidArgument, "reading"),
              StatusIs(absl::StatusCode::kInvalidArgument, "reading: bad bits"));
}

TEST(StatusTest, LlvmSuccessBecomesOk) {
  EXPECT_THAT(FromLlvm(llvm::Error::success(), absl::StatusCode::kInternal, "reading"), IsOk());
}

TEST(StatusTest, ExpectedKeepsValueOrError) {
  ASSERT_OK_AND_ASSIGN(int value,
                       FromLlvm(llvm::Expected<int>(7), absl::StatusCode::kInternal, "x"));
  EXPECT_EQ(value, 7);
  EXPECT_THAT(FromLlvm(llvm::Expected<int>(LlvmError("none")), absl::StatusCode::kNotFound, "x"),
              StatusIs(absl::StatusCode::kNotFound, "x: none"));
}

TEST(StatusTest, AnnotateKeepsCodeAndOk) {
  EXPECT_THAT(Annotate(absl::NotFoundError("b"), "a"),
              StatusIs(absl::StatusCode::kNotFound, "a: b"));
  EXPECT_THAT(Annotate(absl::OkStatus(), "a"), IsOk());
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
