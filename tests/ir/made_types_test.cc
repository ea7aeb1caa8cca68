#include "ir/made_types.h"

#include "gtest/gtest.h"

namespace firstcall::ir {
namespace {

TEST(MadeTypesTest, MakesEachTypeOnce) {
  MadeTypes types;
  const Type* const word = types.Integer(32);
  EXPECT_EQ(types.Integer(32), word);
  EXPECT_NE(types.Integer(31), word);
  EXPECT_NE(types.Float(TypeKind::kFloat), word);
  EXPECT_NE(types.Float(TypeKind::kHalf), types.Float(TypeKind::kBFloat));
  EXPECT_EQ(types.Vector(word, 3), types.Vector(word, 3));
  EXPECT_NE(types.Vector(word, 3), types.Vector(word, 4));
  EXPECT_NE(types.Vector(word, 3), types.Struct(word, 3));
  EXPECT_EQ(types.Struct(word, 3), types.Struct(word, 3));
  EXPECT_EQ(types.Copy(*word), word);
  EXPECT_EQ(types.Copy(*types.Pointer()), types.Pointer());
}

TEST(MadeTypesTest, TypesHaveTheLayoutOfLlvm) {
  MadeTypes types;
  const Type* const odd = types.Integer(24);
  EXPECT_EQ(odd->number, 24u);
  EXPECT_EQ(odd->store_size, 3u);
  EXPECT_EQ(odd->alloc_size, 4u);
  EXPECT_EQ(odd->alignment, 4u);
  const Type* const vector = types.Vector(types.Float(TypeKind::kFloat), 3);
  EXPECT_TRUE(vector->IsFixedVector());
  EXPECT_EQ(vector->bit_size, 96u);
  EXPECT_EQ(vector->store_size, 12u);
  EXPECT_EQ(vector->alloc_size, 16u);
  EXPECT_EQ(vector->element(), types.Float(TypeKind::kFloat));
  const Type* const structure = types.Struct(types.Integer(16), 3);
  EXPECT_TRUE(structure->IsStruct());
  EXPECT_EQ(structure->count, 3u);
  ASSERT_EQ(structure->members().size(), 3u);
  EXPECT_EQ(structure->members()[2], types.Integer(16));
  EXPECT_EQ(structure->offsets[2], 4u);
  EXPECT_EQ(structure->alloc_size, 6u);
}

}  // namespace
}  // namespace firstcall::ir
