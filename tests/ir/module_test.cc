#include "ir/module.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::ir {
namespace {

using ::testing::ElementsAre;

Type Integer(uint32_t bits) {
  Type type;
  type.kind = TypeKind::kInteger;
  type.number = bits;
  return type;
}

const Type* AddStructure(Module& module, std::vector<const Type*> members) {
  Type type;
  type.kind = TypeKind::kStruct;
  type.contained = module.storage().Keep(std::move(members));
  return module.AddType(type);
}

TEST(ModuleTest, TypesAreNumberedAndLaid) {
  Module module;
  const Type* const byte = module.AddType(Integer(8));
  const Type* const word = module.AddType(Integer(64));
  const Type* const pair = AddStructure(module, {byte, word});
  EXPECT_EQ(byte->index, 0u);
  EXPECT_EQ(word->index, 1u);
  EXPECT_EQ(pair->index, 2u);
  EXPECT_EQ(&module.types()[2], pair);
  ASSERT_TRUE(pair->is_sized);
  // The layout of a module without a text aligns i64 to 4 bytes.
  EXPECT_THAT(pair->offsets, ElementsAre(0, 4));
  EXPECT_EQ(pair->alloc_size, 12u);
  const Type* const nested = AddStructure(module, {pair, byte});
  EXPECT_THAT(nested->offsets, ElementsAre(0, 12));
  EXPECT_THAT(pair->offsets, ElementsAre(0, 4));
}

TEST(ModuleTest, LayoutIsThatOfTheModule) {
  Module module;
  ASSERT_OK_AND_ASSIGN(DataLayout layout, DataLayout::Parse("e-i64:64"));
  module.set_layout(std::move(layout));
  const Type* const word = module.AddType(Integer(64));
  const Type* const pair = AddStructure(module, {module.AddType(Integer(8)), word});
  EXPECT_THAT(pair->offsets, ElementsAre(0, 8));
}

TEST(ModuleTest, CompletesStructures) {
  Module module;
  Type opaque;
  opaque.kind = TypeKind::kOpaqueStruct;
  opaque.is_literal = false;
  Type* const structure = module.AddType(opaque);
  EXPECT_FALSE(structure->is_sized);
  const Type* const byte = module.AddType(Integer(8));
  const Type* const word = module.AddType(Integer(32));
  {
    const std::vector<const Type*> members = {byte, word, byte};
    module.Complete(structure, members, /*is_packed=*/true);
  }
  EXPECT_TRUE(structure->IsStruct());
  EXPECT_FALSE(structure->is_literal);
  EXPECT_EQ(structure->index, 0u);
  EXPECT_THAT(structure->members(), ElementsAre(byte, word, byte));
  EXPECT_THAT(structure->offsets, ElementsAre(0, 1, 5));
  EXPECT_EQ(structure->alloc_size, 6u);
}

TEST(ModuleTest, StructureThatContainsItselfHasNoLayout) {
  Module module;
  Type opaque;
  opaque.kind = TypeKind::kOpaqueStruct;
  Type* const structure = module.AddType(opaque);
  Type array;
  array.kind = TypeKind::kArray;
  array.count = 2;
  array.contained = module.storage().Keep(std::vector<const Type*>{structure});
  const Type* const both = module.AddType(array);
  module.Complete(structure, {both}, /*is_packed=*/false);
  EXPECT_FALSE(structure->is_sized);
  EXPECT_FALSE(both->is_sized);
  module.Complete(structure, {structure}, /*is_packed=*/false);
  EXPECT_FALSE(structure->is_sized);
}

TEST(ModuleTest, OnlyUsers) {
  Module module;
  EXPECT_EQ(module.OnlyUserOf(0), kNone);
  module.AddOnlyUser(2, 5);
  module.AddOnlyUser(4, Module::kNobody);
  EXPECT_EQ(module.OnlyUserOf(1), kNone);
  EXPECT_EQ(module.OnlyUserOf(2), 5u);
  EXPECT_EQ(module.OnlyUserOf(3), kNone);
  EXPECT_EQ(module.OnlyUserOf(4), Module::kNobody);
  EXPECT_EQ(module.OnlyUserOf(5), kNone);
}

// A module with globals, of which none is used at first.
class UsesByDataTest : public ::testing::Test {
 protected:
  UsesByDataTest() {
    for (uint32_t i = 0; i < kGlobals; ++i) {
      module_.AddGlobal(NewGlobal());
      Constant address;
      address.kind = ConstantKind::kGlobal;
      address.global = i;
      Add(address);
    }
  }

  Operand Add(const Constant& constant) {
    module_.mutable_constants().push_back(constant);
    return Operand::Constant(static_cast<uint32_t>(module_.constants().size() - 1));
  }
  Operand AddOf(ConstantKind kind, std::vector<Operand> operands) {
    Constant constant;
    constant.kind = kind;
    constant.opcode = Opcode::kGetElementPtr;
    constant.set_operands(module_.storage().Keep(std::move(operands)));
    return Add(constant);
  }
  Operand AddOf(ConstantKind kind, uint32_t global) {
    Constant constant;
    constant.kind = kind;
    constant.global = global;
    return Add(constant);
  }
  static Operand AddressOf(uint32_t global) { return Operand::Constant(global); }
  Global& global(uint32_t number) { return module_.mutable_globals()[number]; }
  GlobalTraits& traits(uint32_t number) { return module_.mutable_traits(number); }

  std::vector<uint32_t> Used() {
    module_.FindUsesByData();
    std::vector<uint32_t> used;
    for (uint32_t i = 0; i < kGlobals; ++i) {
      if (module_.IsUsedByData(i)) used.push_back(i);
    }
    return used;
  }

  static constexpr uint32_t kGlobals = 10;
  Module module_;
};

TEST_F(UsesByDataTest, InitializersAndWhatFunctionsHave) {
  global(0).initializer = AddressOf(1);
  traits(2).personality = AddressOf(3);
  traits(2).prefix_data = AddressOf(5);
  traits(2).prologue_data = AddressOf(7);
  EXPECT_THAT(Used(), ElementsAre(1, 3, 5, 7));
}

TEST_F(UsesByDataTest, ThroughAggregatesAndExpressions) {
  const Operand expression = AddOf(ConstantKind::kExpression, {AddressOf(4)});
  const Operand inner = AddOf(ConstantKind::kAggregate, {expression, AddressOf(6)});
  global(0).initializer = AddOf(ConstantKind::kAggregate, {inner, inner, AddressOf(0)});
  EXPECT_THAT(Used(), ElementsAre(0, 4, 6));
}

TEST_F(UsesByDataTest, ConstantsOfInstructionsDoNotCount) {
  AddOf(ConstantKind::kExpression, {AddressOf(4)});
  AddOf(ConstantKind::kAggregate, {AddressOf(5)});
  EXPECT_THAT(Used(), ElementsAre());
}

TEST_F(UsesByDataTest, OtherKindsOfAddresses) {
  global(0).initializer =
      AddOf(ConstantKind::kAggregate,
            {AddOf(ConstantKind::kBlockAddress, 2), AddOf(ConstantKind::kDsoLocalEquivalent, 3),
             AddOf(ConstantKind::kNoCfi, 4)});
  EXPECT_THAT(Used(), ElementsAre(2, 3, 4));
}

TEST_F(UsesByDataTest, FindsAddressesOfBlocks) {
  AddOf(ConstantKind::kNoCfi, 3);
  const Operand first = AddOf(ConstantKind::kBlockAddress, 2);
  AddOf(ConstantKind::kNoCfi, 3);
  const Operand second = AddOf(ConstantKind::kBlockAddress, 2);
  module_.FindUsesByData();
  EXPECT_THAT(module_.block_addresses(), ElementsAre(first.number(), second.number()));
}

TEST_F(UsesByDataTest, DeepAndRepeatedConstants) {
  // Without noting what was seen, the walk would take 2^100000 steps.
  Operand operand = AddressOf(9);
  for (int i = 0; i < 100000; ++i) {
    operand = AddOf(ConstantKind::kAggregate, {operand, operand});
  }
  global(1).initializer = operand;
  EXPECT_THAT(Used(), ElementsAre(9));
}

TEST_F(UsesByDataTest, ConstantsThatContainThemselves) {
  const Operand self = AddOf(ConstantKind::kAggregate, std::vector<Operand>());
  module_.mutable_constants()[self.number()].set_operands(
      module_.storage().Keep(std::vector<Operand>{self, AddressOf(8)}));
  global(1).initializer = self;
  EXPECT_THAT(Used(), ElementsAre(8));
}

}  // namespace
}  // namespace firstcall::ir
