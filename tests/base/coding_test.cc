#include "base/coding.h"

#include <string>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(CodingTest, ComesBackAsItWas) {
  Encoder encoder;
  encoder.U8(0xab);
  encoder.U32(0x12345678);
  encoder.U64(0x123456789abcdef0);
  encoder.String("text");
  encoder.Raw("raw");
  EXPECT_EQ(encoder.bytes().substr(0, 5), "\xab\x78\x56\x34\x12");
  Decoder decoder(encoder.bytes());
  EXPECT_EQ(decoder.U8(), 0xab);
  EXPECT_EQ(decoder.U32(), 0x12345678u);
  EXPECT_EQ(decoder.U64(), 0x123456789abcdef0u);
  EXPECT_EQ(decoder.String(), "text");
  EXPECT_EQ(decoder.rest(), "raw");
  EXPECT_EQ(decoder.Raw(3), "raw");
  EXPECT_TRUE(decoder.ok());
}

TEST(CodingTest, NothingIsReadBeyondTheEnd) {
  Encoder encoder;
  encoder.String("text");
  for (size_t size = 0; size < encoder.bytes().size(); ++size) {
    Decoder decoder(absl::string_view(encoder.bytes()).substr(0, size));
    EXPECT_EQ(decoder.String(), "");
    EXPECT_FALSE(decoder.ok());
    EXPECT_EQ(decoder.U8(), 0) << "after a failure nothing is there";
  }
}

TEST(CodingTest, CountsBeyondWhatThereIsRoomForAreRefused) {
  Encoder encoder;
  encoder.U32(3);
  encoder.Raw("123456");
  EXPECT_EQ(Decoder(encoder.bytes()).Count(2), 3u);
  Decoder decoder(encoder.bytes());
  EXPECT_EQ(decoder.Count(3), 0u);
  EXPECT_FALSE(decoder.ok());
}

}  // namespace
}  // namespace firstcall
