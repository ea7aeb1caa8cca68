// Also tests bitcode/attribute_group and bitcode/attribute_kinds.

#include "bitcode/attribute_reader.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "bitcode/attribute_kinds.h"
#include "bitcode/bit_reader.h"
#include "bitcode/records.h"
#include "bitcode/type_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/attributes.h"
#include "ir/module.h"
#include "tests/bitcode/bit_writer.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::bitcode {
namespace {

using ir::Attribute;
using ::testing::HasSubstr;

constexpr uint64_t kFunction = UINT32_MAX;
// Numbers of attributes in bitcode.
constexpr uint64_t kAlign = 1, kByVal = 3, kNoAlias = 9, kZExt = 34, kCold = 36, kRange = 92;

class AttributeReaderTest : public ::testing::Test {
 protected:
  AttributeReaderTest() {
    ir::Type type;
    type.kind = ir::TypeKind::kInteger;
    type.number = 32;
    types_.Append(type, module_);
    groups_.EnterBlock(kAttributeGroupBlock);
    lists_.EnterBlock(kAttributeBlock);
  }

  absl::Status Read(size_t limit = 1000) {
    AttributeReader attributes(types_, limit, module_, result_);
    groups_.EndBlock();
    lists_.EndBlock();
    BitReader groups(groups_.bytes(), &info_), lists(lists_.bytes(), &info_);
    groups.Next();
    lists.Next();
    groups.EnterBlock(kAttributeGroupBlock);
    lists.EnterBlock(kAttributeBlock);
    const absl::Status status = attributes.ReadGroups(groups);
    return status.ok() ? attributes.ReadLists(lists) : status;
  }
  // What reading a group of these operands, behind the owner, says.
  absl::Status ReadGroup(std::vector<uint64_t> operands) {
    operands.insert(operands.begin(), {1, kFunction});
    groups_.Record(kAttributeGroupEntry, operands);
    lists_.Record(kAttributeEntry, {1});
    return Read();
  }

  BitWriter groups_, lists_;
  BlockInfo info_;
  ir::Module module_;
  TypeTable types_;
  std::vector<const ir::AttributeList*> result_;
};

TEST_F(AttributeReaderTest, HasAListWithoutAttributesFirst) {
  ASSERT_THAT(Read(), IsOk());
  ASSERT_EQ(result_.size(), 1u);
  EXPECT_EQ(result_[0]->anywhere, 0u);
}

TEST_F(AttributeReaderTest, ReadsListsOfGroups) {
  groups_.Record(kAttributeGroupEntry, {5, kFunction, kAttributePlain, kCold});
  groups_.Record(kAttributeGroupEntry, {6, 0, kAttributePlain, kZExt});
  groups_.Record(kAttributeGroupEntry,
                 {7, 2, kAttributeNumber, kAlign, 16, kAttributeType, kByVal, 0});
  groups_.Record(kAttributeGroupEntry, {8, 9, kAttributePlain, kNoAlias});
  lists_.Record(kAttributeEntry, {5, 6}).Record(kAttributeEntry, {7, 8});
  lists_.Record(kAttributeEntry, {8});
  ASSERT_THAT(Read(), IsOk());
  ASSERT_EQ(result_.size(), 4u);
  EXPECT_TRUE(result_[1]->function.Has(Attribute::kCold));
  EXPECT_TRUE(result_[1]->result.Has(Attribute::kZExt));
  EXPECT_EQ(result_[1]->anywhere, BitOf(Attribute::kCold) | BitOf(Attribute::kZExt));
  ASSERT_EQ(result_[2]->parameters.size(), 2u);
  EXPECT_EQ(result_[2]->parameters[0].kinds, 0u);
  EXPECT_EQ(result_[2]->parameters[1].alignment, 16u);
  EXPECT_EQ(result_[2]->parameters[1].type, types_.Find(0));
  EXPECT_EQ(result_[3], result_[0]);
}

TEST_F(AttributeReaderTest, OrdersStringsByTheirNames) {
  ASSERT_THAT(ReadGroup({kAttributeStringAndValue, 'b', 0, 'x', 'y', 0, kAttributeString, 'a', 0,
                         kAttributeStringAndValue, 'b', 0, 'z', 0}),
              IsOk());
  const auto strings = result_[1]->function.strings;
  ASSERT_EQ(strings.size(), 2u);
  EXPECT_EQ(strings[0].name, "a");
  EXPECT_EQ(strings[0].value, "");
  EXPECT_EQ(strings[1].name, "b");
  EXPECT_EQ(strings[1].value, "z");
}

TEST_F(AttributeReaderTest, SkipsRanges) {
  ASSERT_THAT(ReadGroup({kAttributeRange,
                         kRange,
                         32,
                         1,
                         2,
                         kAttributeRange,
                         kRange,
                         128,
                         2 | uint64_t{1} << 32,
                         1,
                         2,
                         3,
                         kAttributeRanges,
                         kRange,
                         2,
                         8,
                         1,
                         2,
                         3,
                         4,
                         kAttributePlain,
                         kCold}),
              IsOk());
  EXPECT_EQ(result_[1]->function.kinds, BitOf(Attribute::kCold));
}

TEST_F(AttributeReaderTest, MarksAttributesThatItDoesNotKnow) {
  ASSERT_THAT(ReadGroup({kAttributePlain, 5000}), IsOk());
  EXPECT_TRUE(result_[1]->function.Has(Attribute::kUnknown));
}

TEST_F(AttributeReaderTest, DoesNotKnowTypesThatAPointerHad) {
  ASSERT_THAT(ReadGroup({kAttributePlain, kByVal}), IsOk());
  EXPECT_EQ(result_[1]->function.kinds, BitOf(Attribute::kUnknown));
}

TEST_F(AttributeReaderTest, DoesNotKnowOtherForms) {
  EXPECT_THAT(ReadGroup({20, 1}), StatusIs(absl::StatusCode::kUnimplemented,
                                           "group 1 of attributes: an attribute of the form 20"));
}

TEST_F(AttributeReaderTest, RefusesRecordsThatEndWithinAnAttribute) {
  EXPECT_THAT(ReadGroup({kAttributeString, 'a'}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "group 1 of attributes: the record ends within an attribute"));
}

TEST_F(AttributeReaderTest, RefusesAlignmentsThatAreNoPowersOfTwo) {
  EXPECT_THAT(ReadGroup({kAttributeNumber, kAlign, 24}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("an alignment of 24 bytes")));
}

TEST_F(AttributeReaderTest, RefusesTypesThatAreNotThere) {
  EXPECT_THAT(ReadGroup({kAttributeType, kByVal, 9}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("an attribute of type 9, which there is not")));
}

TEST_F(AttributeReaderTest, RefusesGroupsThatAreNotThere) {
  lists_.Record(kAttributeEntry, {3});
  EXPECT_THAT(Read(), StatusIs(absl::StatusCode::kInvalidArgument,
                               "list 1 of attributes: there is no group 3"));
}

TEST_F(AttributeReaderTest, DoesNotMakeMoreParametersThanTheLimit) {
  groups_.Record(kAttributeGroupEntry, {1, 60, kAttributePlain, kZExt});
  lists_.Record(kAttributeEntry, {1}).Record(kAttributeEntry, {1});
  EXPECT_THAT(Read(100), StatusIs(absl::StatusCode::kUnimplemented,
                                  "there are too many parameters with attributes"));
}

TEST(AttributeKindsTest, KnowWhatNamesATypeAndWhatCodeDoesNotDependOn) {
  EXPECT_TRUE(NamesType(BitsOfAttribute(kByVal)));
  EXPECT_FALSE(NamesType(BitsOfAttribute(kCold)));
  EXPECT_EQ(BitsOfAttribute(kNoAlias), 0u);
  EXPECT_EQ(BitsOfAttribute(UINT64_MAX), BitOf(Attribute::kUnknown));
}

}  // namespace
}  // namespace firstcall::bitcode
