// Also tests ir/check_constants and ir/check_types.

#include "ir/check_module.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ir/function_builder.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::ir {
namespace {

using ::testing::HasSubstr;

class CheckModuleTest : public ::testing::Test {
 protected:
  CheckModuleTest() { builder_.traits(0).is_declaration = true; }

  // Adds a constant of the module. Globals must have been added before.
  Operand Add(ConstantKind kind, const Type* type, const std::vector<Operand>& operands = {},
              Opcode opcode = Opcode::kUnreachable) {
    Constant constant;
    constant.kind = kind;
    constant.type = type;
    constant.opcode = opcode;
    if (!operands.empty())
      constant.set_operands(module().storage().Keep(std::vector<Operand>(operands)));
    return Append(constant);
  }
  Operand Append(const Constant& constant) {
    module().mutable_constants().push_back(constant);
    return Operand::Constant(static_cast<uint32_t>(module().constants().size() - 1));
  }
  Operand Number(const Type* type, uint64_t bits) {
    Constant constant;
    constant.kind = ConstantKind::kInteger;
    constant.type = type;
    constant.set_bits(bits);
    return Append(constant);
  }
  Operand Text(const Type* type, std::string text) {
    Constant constant;
    constant.kind = ConstantKind::kData;
    constant.type = type;
    constant.set_data(module().storage().Keep(std::move(text)));
    return Append(constant);
  }
  Module& module() { return builder_.module(); }

  void ExpectValid() { EXPECT_THAT(CheckModule(module()), IsOk()); }
  void ExpectInvalid(const std::string& text) {
    EXPECT_THAT(CheckModule(module()),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
  }
  void ExpectUnknown(const std::string& text) {
    EXPECT_THAT(CheckModule(module()), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(text)));
  }

  FunctionBuilder builder_;
  const Type* const i8_ = builder_.Integer(8);
  const Type* const i32_ = builder_.Integer(32);
  const Type* const i64_ = builder_.Integer(64);
  const Type* const ptr_ = builder_.Pointer();
};

TEST_F(CheckModuleTest, TypesAreThoseOfLangRef) {
  ExpectValid();
  builder_.Integer(uint32_t{1} << 24);
  ExpectInvalid("no integer has such a width");
}

TEST_F(CheckModuleTest, MembersHaveValues) {
  builder_.Struct({i32_, builder_.Void()});
  ExpectInvalid("no structure has such a member");
}

TEST_F(CheckModuleTest, VectorsConsistOfNumbersOrPointers) {
  builder_.Vector(4, builder_.Struct({i32_}));
  ExpectInvalid("no vector has such an element");
}

TEST_F(CheckModuleTest, VectorsAreNotEmpty) {
  builder_.Vector(0, i32_);
  ExpectInvalid("no vector has so many elements");
}

TEST_F(CheckModuleTest, FunctionsReturnNoFunctions) {
  builder_.FunctionType(builder_.FunctionType(i32_, {}), {});
  ExpectInvalid("no function has such a result");
}

TEST_F(CheckModuleTest, StructuresThatContainThemselvesAreNotKnown) {
  Type opaque;
  opaque.kind = TypeKind::kOpaqueStruct;
  Type* const structure = module().AddType(opaque);
  const Type* const array = builder_.Array(2, structure);
  module().Complete(structure, {array}, false);
  ExpectUnknown("a structure that contains itself");
}

TEST_F(CheckModuleTest, InitializersHaveTheTypeOfTheVariable) {
  const uint32_t variable = builder_.AddVariable("v", i32_);
  builder_.traits(variable).is_declaration = false;
  builder_.global(variable).initializer = Number(i32_, 5);
  ExpectValid();
  builder_.global(variable).initializer = Number(i64_, 5);
  ExpectInvalid("checking module: variable 'v': its initializer has another type");
  builder_.global(variable).initializer = Operand();
  ExpectInvalid("it is declared and has an initializer, or is defined and has none");
}

TEST_F(CheckModuleTest, GlobalsHaveAddressesOfTheirAddressSpace) {
  builder_.traits(0).address_space = 3;
  ExpectInvalid("checking module: function 'f': its address is no pointer of its address space");
}

TEST_F(CheckModuleTest, AlignmentsArePowersOfTwo) {
  builder_.traits(0).alignment = 24;
  ExpectInvalid("its alignment is no power of two, or too large");
}

TEST_F(CheckModuleTest, ComdatsExist) {
  builder_.global(0).comdat = 0;
  ExpectInvalid("its comdat does not exist");
}

TEST_F(CheckModuleTest, FunctionsHaveTypesOfFunctions) {
  builder_.traits(0).value_type = i32_;
  ExpectInvalid("its type is not a function's");
}

TEST_F(CheckModuleTest, IntrinsicsHaveNoBodies) {
  const uint32_t trap = builder_.Declare("llvm.trap", builder_.FunctionType(builder_.Void(), {}));
  builder_.traits(trap).is_declaration = false;
  ExpectInvalid("an intrinsic has a body");
}

TEST_F(CheckModuleTest, AttributesFitParameters) {
  AttributeList& list = builder_.attributes(0);
  list.parameters.resize(1);
  ExpectInvalid("it has attributes of more parameters than the type has");
  builder_.traits(0).value_type = builder_.FunctionType(i32_, {i32_});
  list.parameters[0].kinds = list.anywhere = uint64_t{1} << static_cast<int>(Attribute::kByVal);
  list.parameters[0].type = i32_;
  ExpectInvalid("an attribute of pointers at what is no pointer");
}

TEST_F(CheckModuleTest, NamesAreDifferent) {
  builder_.AddVariable("f", i32_);
  ExpectUnknown("checking module: variable 'f': another global has the same name");
}

TEST_F(CheckModuleTest, AliasesFormNoRings) {
  const uint32_t first = builder_.AddVariable("first", i32_);
  const uint32_t second = builder_.AddVariable("second", i32_);
  for (uint32_t alias : {first, second}) builder_.traits(alias).kind = GlobalKind::kAlias;
  builder_.global(first).initializer = builder_.AddressOf(second);
  builder_.global(second).initializer = builder_.AddressOf(0);
  ExpectValid();
  builder_.global(second).initializer =
      Add(ConstantKind::kExpression, ptr_, {builder_.AddressOf(first)}, Opcode::kBitCast);
  ExpectInvalid("checking module: alias 'first': it stands for itself");
}

TEST_F(CheckModuleTest, TheFirstConstantsAreTheAddresses) {
  module().mutable_constants()[0].global = 7;
  ExpectInvalid("constant 0: it is not the address of the global with this number");
}

TEST_F(CheckModuleTest, NumbersFitTheirTypes) {
  Number(i8_, static_cast<uint64_t>(-128));
  ExpectValid();
  Number(i8_, 128);
  ExpectInvalid("checking module: constant 2: the number is too large for the type");
}

TEST_F(CheckModuleTest, WideNumbersHaveAllTheirWords) {
  Constant wide;
  wide.kind = ConstantKind::kInteger;
  wide.type = builder_.Integer(65);
  wide.set_words(module().storage().Keep(std::vector<uint64_t>{1, 1}));
  Append(wide);
  ExpectValid();
  wide.set_words(module().storage().Keep(std::vector<uint64_t>{1, 2}));
  Append(wide);
  ExpectInvalid("constant 2: the number is too large for the type");
  module().mutable_constants().pop_back();
  wide.set_words(module().storage().Keep(std::vector<uint64_t>{1}));
  Append(wide);
  ExpectInvalid("the number has not as many words as the type");
}

TEST_F(CheckModuleTest, MembersAreThoseOfTheType) {
  const Type* const pair = builder_.Struct({i32_, i8_});
  const Operand word = Number(i32_, 1), byte = Number(i8_, 2);
  Add(ConstantKind::kAggregate, pair, {word, byte});
  ExpectValid();
  Add(ConstantKind::kAggregate, pair, {byte, word});
  ExpectInvalid("a member has another type than the one in the type");
  module().mutable_constants().pop_back();
  Add(ConstantKind::kAggregate, pair, {word});
  ExpectInvalid("the number of members is not that of the type");
}

TEST_F(CheckModuleTest, DataHaveTheSizeOfTheType) {
  Text(builder_.Array(2, i32_), std::string(8, 'x'));
  ExpectValid();
  Text(builder_.Array(2, i32_), std::string(7, 'x'));
  ExpectInvalid("the size of the data is not that of the type");
  module().mutable_constants().pop_back();
  Text(builder_.Array(2, builder_.Integer(24)), std::string(6, 'x'));
  ExpectInvalid("data of elements that are no such numbers");
}

TEST_F(CheckModuleTest, KindsFitTypes) {
  Add(ConstantKind::kNull, i32_);
  ExpectInvalid("null of a type without it");
  module().mutable_constants().pop_back();
  Add(ConstantKind::kUndef, builder_.Void());
  ExpectInvalid("an undefined value of a type without values");
  module().mutable_constants().pop_back();
  Add(ConstantKind::kMetadata, i32_);
  ExpectInvalid("metadata of another type");
}

TEST_F(CheckModuleTest, ExpressionsHaveTheirOperands) {
  const Operand address = builder_.AddressOf(0);
  Add(ConstantKind::kExpression, i64_, {address}, Opcode::kPtrToInt);
  ExpectValid();
  Add(ConstantKind::kExpression, i64_, {address, address}, Opcode::kPtrToInt);
  ExpectInvalid("the number of operands is wrong");
  module().mutable_constants().pop_back();
  Add(ConstantKind::kExpression, i64_, {address, address}, Opcode::kAdd);
  ExpectInvalid("the result has another type than the operands");
  module().mutable_constants().pop_back();
  Add(ConstantKind::kExpression, i64_, {address}, Opcode::kFNeg);
  ExpectUnknown("an expression of this kind");
}

TEST_F(CheckModuleTest, AddressesOfBlocksAreThoseOfFunctions) {
  Constant label;
  label.kind = ConstantKind::kBlockAddress;
  label.type = ptr_;
  label.global = 0;
  Append(label);
  ExpectInvalid("the address of a block of what is no defined function");
  builder_.traits(0).is_declaration = false;
  ExpectValid();
}

TEST_F(CheckModuleTest, ConstantsDoNotConsistOfThemselves) {
  const uint32_t next = static_cast<uint32_t>(module().constants().size() + 1);
  Add(ConstantKind::kExpression, ptr_, {Operand::Constant(next)}, Opcode::kBitCast);
  Add(ConstantKind::kExpression, ptr_, {Operand::Constant(next - 1)}, Opcode::kBitCast);
  ExpectInvalid("a constant that consists of itself");
}

TEST_F(CheckModuleTest, ConstantsAreNotNestedTooDeep) {
  Operand nested = builder_.AddressOf(0);
  for (int i = 0; i < 100; ++i) {
    nested = Add(ConstantKind::kExpression, ptr_, {nested}, Opcode::kBitCast);
  }
  ExpectValid();
  Add(ConstantKind::kExpression, ptr_, {nested}, Opcode::kBitCast);
  ExpectUnknown("constants that are nested too deep");
}

TEST_F(CheckModuleTest, ExpressionsHaveFewParts) {
  Operand sum = Add(ConstantKind::kExpression, i64_, {builder_.AddressOf(0)}, Opcode::kPtrToInt);
  for (int i = 0; i < 9; ++i) sum = Add(ConstantKind::kExpression, i64_, {sum, sum}, Opcode::kAdd);
  ExpectValid();
  Add(ConstantKind::kExpression, i64_, {sum, sum}, Opcode::kAdd);
  ExpectUnknown("an expression of too many parts");
}

}  // namespace
}  // namespace firstcall::ir
