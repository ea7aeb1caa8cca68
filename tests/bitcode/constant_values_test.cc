#include "bitcode/constant_values.h"

#include <cstdint>
#include <string>
#include <vector>

#include "bitcode/constant_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/constant.h"
#include "ir/module.h"
#include "ir/type.h"

namespace firstcall::bitcode {
namespace {

using ir::ConstantKind;
using ir::TypeKind;
using ::testing::ElementsAre;

class ConstantValuesTest : public ::testing::Test {
 protected:
  ConstantValuesTest() { scope_.BeginModule(module_); }

  ir::Constant OfType(TypeKind kind, uint32_t number = 0) {
    ir::Type type;
    type.kind = kind;
    type.number = number;
    ir::Constant constant;
    constant.type = module_.AddType(type);
    return constant;
  }

  ir::Module module_;
  ConstantScope scope_;
};

TEST(DecodeSignedTest, TakesTheSignFromTheLowestBit) {
  EXPECT_EQ(DecodeSigned(0), 0u);
  EXPECT_EQ(DecodeSigned(6), 3u);
  EXPECT_EQ(DecodeSigned(7), static_cast<uint64_t>(-3));
  EXPECT_EQ(DecodeSigned(1), uint64_t{1} << 63);
  EXPECT_EQ(DecodeSigned(UINT64_MAX), uint64_t{0} - INT64_MAX);
}

TEST_F(ConstantValuesTest, SignExtendsIntegers) {
  ir::Constant constant = OfType(TypeKind::kInteger, 8);
  ASSERT_TRUE(SetInteger({2 * 255}, scope_, constant));
  EXPECT_EQ(constant.kind, ConstantKind::kInteger);
  EXPECT_EQ(constant.bits(), UINT64_MAX);
  EXPECT_FALSE(SetInteger({}, scope_, constant));
}

TEST_F(ConstantValuesTest, ZeroExtendsIntegersOfManyWords) {
  ir::Constant constant = OfType(TypeKind::kInteger, 130);
  ASSERT_TRUE(SetInteger({3}, scope_, constant));
  EXPECT_THAT(constant.words(), ElementsAre(UINT64_MAX, 0, 0));
  ASSERT_TRUE(SetInteger({3, 3, 3, 3}, scope_, constant));
  EXPECT_THAT(constant.words(), ElementsAre(UINT64_MAX, UINT64_MAX, 3));
}

TEST_F(ConstantValuesTest, LeavesVeryWideIntegersToLlvm) {
  ir::Constant constant = OfType(TypeKind::kInteger, kWidestConstant + 1);
  ASSERT_TRUE(SetInteger({3}, scope_, constant));
  EXPECT_EQ(constant.kind, ConstantKind::kOther);
  ASSERT_TRUE(SetZero(constant));
  EXPECT_EQ(constant.kind, ConstantKind::kOther);
}

TEST_F(ConstantValuesTest, SetsFloatingPointNumbersAsInMemory) {
  ir::Constant half = OfType(TypeKind::kHalf);
  ASSERT_TRUE(SetFloat({0x123456}, scope_, half));
  EXPECT_EQ(half.bits(), 0x3456u);
  ir::Constant extended = OfType(TypeKind::kX86Fp80);
  EXPECT_FALSE(SetFloat({1}, scope_, extended));
  ASSERT_TRUE(SetFloat({0x3fff800000000000, 0x1234}, scope_, extended));
  EXPECT_THAT(extended.words(), ElementsAre(0x8000000000001234, 0x3fff));
  ir::Constant quad = OfType(TypeKind::kFp128);
  ASSERT_TRUE(SetFloat({1, 2}, scope_, quad));
  EXPECT_THAT(quad.words(), ElementsAre(1, 2));
}

TEST_F(ConstantValuesTest, KnowsZeros) {
  ir::Constant wide = OfType(TypeKind::kInteger, 128);
  ASSERT_TRUE(SetZero(wide));
  EXPECT_THAT(wide.words(), ElementsAre(0, 0));
  ir::Constant number = OfType(TypeKind::kPpcFp128);
  ASSERT_TRUE(SetZero(number));
  EXPECT_EQ(number.kind, ConstantKind::kFloat);
  EXPECT_THAT(number.words(), ElementsAre(0, 0));
  ir::Constant pointer = OfType(TypeKind::kPointer);
  ASSERT_TRUE(SetZero(pointer));
  EXPECT_EQ(pointer.kind, ConstantKind::kNull);
  ir::Constant tile = OfType(TypeKind::kX86Amx);
  EXPECT_FALSE(SetZero(tile));
}

TEST_F(ConstantValuesTest, SetsDataInLittleEndianOrder) {
  const ir::Constant element = OfType(TypeKind::kInteger, 16);
  EXPECT_TRUE(IsDataElement(*element.type));
  EXPECT_FALSE(IsDataElement(*OfType(TypeKind::kInteger, 24).type));
  ir::Type type;
  type.kind = TypeKind::kArray;
  type.count = 3;
  type.contained = module_.storage().Keep(std::vector<const ir::Type*>{element.type});
  ir::Constant constant;
  constant.type = module_.AddType(type);
  ASSERT_TRUE(SetData({0x201, 0x10403}, /*has_end=*/true, scope_, constant));
  EXPECT_EQ(constant.kind, ConstantKind::kData);
  EXPECT_EQ(constant.data(), std::string("\1\2\3\4\0\0", 6));
}

}  // namespace
}  // namespace firstcall::bitcode
