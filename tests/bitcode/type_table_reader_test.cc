// Also tests bitcode/type_table.

#include "bitcode/type_table_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bitcode/bit_reader.h"
#include "bitcode/records.h"
#include "bitcode/type_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "ir/text.h"
#include "ir/type.h"
#include "tests/bitcode/bit_writer.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::bitcode {
namespace {

using ::testing::HasSubstr;

class TypeTableReaderTest : public ::testing::Test {
 protected:
  // Announces `count` types. Their records follow.
  BitWriter& Begin(uint64_t count) {
    return writer_.EnterBlock(kTypeBlock).Record(kTypeCount, {count});
  }
  absl::Status Read() {
    writer_.EndBlock();
    BitReader reader(writer_.bytes(), &info_);
    reader.Next();
    if (!reader.EnterBlock(kTypeBlock)) return reader.status();
    return TypeTableReader(module_, table_).Read(reader);
  }
  std::string TextOf(uint64_t number) const { return ir::TextOf(*table_.Find(number)); }
  void ExpectWrong(const char* cause) {
    EXPECT_THAT(Read(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(cause)));
  }
  void ExpectUnknown(const char* cause) {
    EXPECT_THAT(Read(), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(cause)));
  }

  BitWriter writer_;
  BlockInfo info_;
  ir::Module module_;
  TypeTable table_;
};

TEST_F(TypeTableReaderTest, ReadsAllKindsOfTypes) {
  Begin(11).Record(kTypeVoid).Record(kTypeInteger, {32}).Record(kTypePointer, {0});
  writer_.Record(kTypePointer, {3}).Record(kTypeArray, {7, 1}).Record(kTypeVector, {4, 1});
  writer_.Record(kTypeVector, {2, 2, 1}).Record(kTypeLiteralStruct, {0, 1, 2});
  writer_.TextRecord(kTypeStructName, "name").Record(kTypeNamedStruct, {1, 7, 1});
  writer_.Record(kTypeFunction, {1, 0, 2, 8}).TextRecord(kTypeStructName, "unknown");
  writer_.Record(kTypeOpaqueStruct, {0});
  ASSERT_THAT(Read(), IsOk());
  EXPECT_EQ(TextOf(0), "void");
  EXPECT_EQ(TextOf(1), "i32");
  EXPECT_EQ(TextOf(2), "ptr");
  EXPECT_EQ(TextOf(3), "ptr addrspace(3)");
  EXPECT_EQ(TextOf(4), "[7 x i32]");
  EXPECT_EQ(TextOf(5), "<4 x i32>");
  EXPECT_EQ(TextOf(6), "<vscale x 2 x ptr>");
  EXPECT_EQ(TextOf(7), "{ i32, ptr }");
  EXPECT_EQ(TextOf(8), "named <{ { i32, ptr }, i32 }>");
  EXPECT_EQ(TextOf(9), "void (ptr, named <{ { i32, ptr }, i32 }>, ...)");
  EXPECT_EQ(TextOf(10), "opaque");
  EXPECT_EQ(table_.Find(11), nullptr);
  EXPECT_EQ(table_.Find(7)->alloc_size, 16u);
}

TEST_F(TypeTableReaderTest, FindsTypesByWhatTheyAre) {
  Begin(6).Record(kTypeInteger, {1}).Record(kTypeInteger, {32}).Record(kTypePointer, {0});
  writer_.Record(kTypeVector, {4, 1}).Record(kTypeVector, {4, 0});
  writer_.Record(kTypeLiteralStruct, {0, 1, 0});
  ASSERT_THAT(Read(), IsOk());
  EXPECT_EQ(table_.FindInteger(1), table_.Find(0));
  EXPECT_EQ(table_.FindInteger(32), table_.Find(1));
  EXPECT_EQ(table_.FindInteger(64), nullptr);
  EXPECT_EQ(table_.FindPointer(0), table_.Find(2));
  EXPECT_EQ(table_.FindPointer(1), nullptr);
  EXPECT_EQ(table_.FindVector(table_.Find(0), *table_.Find(3)), table_.Find(4));
  EXPECT_EQ(table_.FindVector(table_.Find(2), *table_.Find(3)), nullptr);
  EXPECT_EQ(table_.FindStruct({table_.Find(1), table_.Find(0)}), table_.Find(5));
  EXPECT_EQ(table_.FindVoid(), nullptr);
  const ir::Type* const far = table_.Pointer(7, module_);
  EXPECT_EQ(far->number, 7u);
  EXPECT_EQ(table_.Pointer(7, module_), far);
  EXPECT_EQ(table_.Pointer(0, module_), table_.Find(2));
}

TEST_F(TypeTableReaderTest, GivesEqualTypesOneObjectButForNamedStructures) {
  Begin(6).Record(kTypeInteger, {32}).Record(kTypeInteger, {32});
  writer_.Record(kTypeLiteralStruct, {0, 0}).Record(kTypeLiteralStruct, {0, 1});
  writer_.Record(kTypeNamedStruct, {0, 0}).Record(kTypeNamedStruct, {0, 0});
  ASSERT_THAT(Read(), IsOk());
  EXPECT_EQ(table_.Find(0), table_.Find(1));
  EXPECT_EQ(table_.Find(2), table_.Find(3));
  EXPECT_NE(table_.Find(4), table_.Find(5));
}

TEST_F(TypeTableReaderTest, DoesNotKnowPointersToTypes) {
  Begin(2).Record(kTypeVoid).Record(kTypeTypedPointer, {0});
  ExpectUnknown("type 1: a pointer to a type; so the file is from before LLVM 15");
}

TEST_F(TypeTableReaderTest, DoesNotKnowTypesThatContainLaterTypes) {
  Begin(2).Record(kTypeLiteralStruct, {0, 1}).Record(kTypeInteger, {8});
  ExpectUnknown("type 0: type 1, which is a part of it, comes later");
}

TEST_F(TypeTableReaderTest, DoesNotKnowOtherCodes) {
  Begin(1).Record(99);
  ExpectUnknown("type 0: code 99");
}

TEST_F(TypeTableReaderTest, DoesNotKnowTypesThatAreNestedTooDeep) {
  Begin(2000).Record(kTypeInteger, {8});
  for (uint64_t i = 0; i < 1999; ++i) writer_.Record(kTypeArray, {1, i});
  ExpectUnknown("type 1024: types are nested too deep");
}

TEST_F(TypeTableReaderTest, RefusesTypesThatAreNotThere) {
  Begin(1).Record(kTypeArray, {1, 1});
  ExpectWrong("type 0: there is no type 1");
}

TEST_F(TypeTableReaderTest, RefusesPartsThatATypeCannotHave) {
  Begin(2).Record(kTypeVoid).Record(kTypeArray, {1, 0});
  ExpectWrong("type 1: type 0 cannot be a part of it");
}

TEST_F(TypeTableReaderTest, RefusesWidthsThatIntegersCannotHave) {
  Begin(1).Record(kTypeInteger, {(1 << 23) + 1});
  ExpectWrong("type 0: an integer has no valid width");
}

TEST_F(TypeTableReaderTest, RefusesVectorsWithoutElements) {
  Begin(2).Record(kTypeInteger, {8}).Record(kTypeVector, {0, 0});
  ExpectWrong("type 1: a vector has no valid number of elements");
}

TEST_F(TypeTableReaderTest, RefusesATableWithoutAllItsTypes) {
  Begin(2).Record(kTypeVoid);
  ExpectWrong("type 1: the table has not as many types as it says");
}

}  // namespace
}  // namespace firstcall::bitcode
