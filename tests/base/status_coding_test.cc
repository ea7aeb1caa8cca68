#include "base/status_coding.h"

#include "absl/status/status.h"
#include "base/coding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

TEST(StatusCodingTest, StatusesComeBack) {
  for (const absl::Status& status :
       {absl::OkStatus(), absl::NotFoundError("no 'f'"), absl::UnknownError("")}) {
    Encoder encoder;
    EncodeStatus(status, encoder);
    Decoder decoder(encoder.bytes());
    EXPECT_EQ(DecodeStatus(decoder), status);
    EXPECT_TRUE(decoder.ok());
    EXPECT_TRUE(decoder.rest().empty());
  }
}

TEST(StatusCodingTest, DamagedStatusesAreErrors) {
  Decoder empty("");
  EXPECT_THAT(DecodeStatus(empty), StatusIs(absl::StatusCode::kInvalidArgument));
  Encoder encoder;
  encoder.U8(200);
  encoder.String("text");
  Decoder unknown_code(encoder.bytes());
  EXPECT_THAT(DecodeStatus(unknown_code), StatusIs(absl::StatusCode::kInvalidArgument));
  Decoder cut("\x05\x09");
  EXPECT_THAT(DecodeStatus(cut), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace firstcall
