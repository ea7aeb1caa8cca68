#include "foreign/value_coding.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "foreign/foreign_layout.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using Kind = ForeignKind;

TEST(ValueCodingTest, TypesComeBack) {
  const ForeignType inner({Kind::kDouble, Kind::kPointer});
  const ForeignType type({Kind::kInt8, inner, Kind::kUint64});
  Encoder encoder;
  EncodeType(type, encoder);
  Decoder decoder(encoder.bytes());
  ASSERT_OK_AND_ASSIGN(const ForeignType decoded, DecodeType(decoder));
  EXPECT_EQ(NameOf(decoded), NameOf(type));
  EXPECT_TRUE(decoder.rest().empty());
}

TEST(ValueCodingTest, TypesWithoutEndAreRefused) {
  Encoder encoder;
  for (int i = 0; i < 1000; ++i) {
    encoder.U8(static_cast<uint8_t>(Kind::kStruct));
    encoder.U32(1);
  }
  Decoder deep(encoder.bytes());
  EXPECT_THAT(DecodeType(deep), StatusIs(absl::StatusCode::kInvalidArgument));
  Encoder wide;
  wide.U8(static_cast<uint8_t>(Kind::kStruct));
  wide.U32(1000000);
  wide.Raw(std::string(1000000, '\1'));
  Decoder decoder(wide.bytes());
  EXPECT_THAT(DecodeType(decoder), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ValueCodingTest, RandomBytesAreATypeOrAnError) {
  std::minstd_rand random(1);
  int types = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 20);
    Decoder decoder(bytes);
    const absl::StatusOr<ForeignType> type = DecodeType(decoder);
    if (!type.ok()) {
      EXPECT_THAT(type, StatusIs(absl::StatusCode::kInvalidArgument));
      continue;
    }
    ++types;
    Encoder encoder;
    EncodeType(*type, encoder);
    EXPECT_EQ(encoder.bytes() + std::string(decoder.rest()), bytes);
  }
  EXPECT_GT(types, 1000);
}

TEST(ValueCodingTest, CallsComeBackOrAreDamaged) {
  int32_t number = -5;
  double real = 2.5, result = 1;
  Encoder encoder;
  EncodeCall({Kind::kDouble, &result}, {{Kind::kInt32, &number}, {Kind::kDouble, &real}}, encoder);
  Decoder decoder(encoder.bytes());
  ASSERT_OK_AND_ASSIGN(const DecodedCall call, DecodeCall(decoder));
  EXPECT_TRUE(decoder.IsComplete());
  ASSERT_EQ(call.result.values().size(), 1u);
  EXPECT_EQ(*static_cast<double*>(call.result.values()[0].bytes), 0);
  ASSERT_EQ(call.arguments.values().size(), 2u);
  EXPECT_EQ(*static_cast<int32_t*>(call.arguments.values()[0].bytes), number);
  EXPECT_EQ(*static_cast<double*>(call.arguments.values()[1].bytes), real);
  for (size_t size = 0; size < encoder.bytes().size(); ++size) {
    Decoder cut(absl::string_view(encoder.bytes()).substr(0, size));
    EXPECT_THAT(DecodeCall(cut), StatusIs(absl::StatusCode::kInvalidArgument)) << size;
  }
}

TEST(ValueCodingTest, ValuesComeBackInPlacesOfTheirOwn) {
  int32_t number = -5;
  double real = 2.5;
  const ForeignValue values[] = {{Kind::kInt32, &number}, {Kind::kDouble, &real}};
  Encoder encoder;
  EncodeBytes(values, encoder);
  Decoder decoder(encoder.bytes());
  DecodedValues decoded;
  ASSERT_TRUE(decoded.Add(Kind::kInt32, decoder));
  ASSERT_TRUE(decoded.Add(Kind::kDouble, decoder));
  decoded.AddZero(Kind::kInt64);
  EXPECT_FALSE(decoded.Add(Kind::kInt8, decoder));
  ASSERT_EQ(decoded.values().size(), 3u);
  EXPECT_EQ(std::memcmp(decoded.values()[0].bytes, &number, sizeof(number)), 0);
  EXPECT_EQ(std::memcmp(decoded.values()[1].bytes, &real, sizeof(real)), 0);
  EXPECT_EQ(*static_cast<int64_t*>(decoded.values()[2].bytes), 0);
}

}  // namespace
}  // namespace firstcall
