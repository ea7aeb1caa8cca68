#include "base/llvm_status.h"

#include "gtest/gtest.h"
#include "llvm/Support/Error.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

llvm::Error LlvmError(const char* text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

TEST(LlvmStatusTest, LlvmErrorBecomesStatusWithOperation) {
  EXPECT_THAT(FromLlvm(LlvmError("bad bits"), absl::StatusCode::kInvalidArgument, "reading"),
              StatusIs(absl::StatusCode::kInvalidArgument, "reading: bad bits"));
}

TEST(LlvmStatusTest, LlvmSuccessBecomesOk) {
  EXPECT_THAT(FromLlvm(llvm::Error::success(), absl::StatusCode::kInternal, "reading"), IsOk());
}

TEST(LlvmStatusTest, ExpectedKeepsValueOrError) {
  ASSERT_OK_AND_ASSIGN(int value,
                       FromLlvm(llvm::Expected<int>(7), absl::StatusCode::kInternal, "x"));
  EXPECT_EQ(value, 7);
  EXPECT_THAT(FromLlvm(llvm::Expected<int>(LlvmError("none")), absl::StatusCode::kNotFound, "x"),
              StatusIs(absl::StatusCode::kNotFound, "x: none"));
}

}  // namespace
}  // namespace firstcall
