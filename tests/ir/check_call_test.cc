// Also tests ir/check_attributes, ir/check_constraints and ir/check_intrinsic.

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/check.h"
#include "tests/ir/function_builder.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::ir {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t Bit(Attribute attribute) { return uint64_t{1} << static_cast<int>(attribute); }

class CheckCallTest : public ::testing::Test {
 protected:
  void Begin(std::vector<const Type*> parameters, bool is_variadic = false) {
    builder_.Begin(builder_.FunctionType(void_, parameters, is_variadic));
    builder_.BeginBlock();
  }

  Operand Call(uint32_t callee, const std::vector<Operand>& arguments) {
    return builder_.AddCall(Opcode::kCall, builder_.traits(callee).value_type,
                            builder_.AddressOf(callee), arguments);
  }

  // Gives an argument of the last call the attribute.
  AttributeSet& SetAttribute(uint32_t argument, Attribute attribute) {
    AttributeList& list = builder_.AttributesOfCall();
    list.parameters.resize(argument + 1);
    list.parameters[argument].kinds = list.anywhere = Bit(attribute);
    return list.parameters[argument];
  }

  absl::Status Check() {
    builder_.Add(Opcode::kRet, void_, {});
    builder_.function().CountUses();
    return checker_.Check(builder_.function());
  }
  void ExpectInvalid(const std::string& text) {
    EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
  }
  void ExpectUnknown(const std::string& text) {
    EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(text)));
  }

  FunctionBuilder builder_;
  Checker checker_;
  const Type* const void_ = builder_.Void();
  const Type* const i1_ = builder_.Integer(1);
  const Type* const i8_ = builder_.Integer(8);
  const Type* const i32_ = builder_.Integer(32);
  const Type* const i64_ = builder_.Integer(64);
  const Type* const ptr_ = builder_.Pointer();
};

TEST_F(CheckCallTest, ArgumentsFitTheFunction) {
  const uint32_t callee = builder_.Declare("callee", builder_.FunctionType(i32_, {i32_, ptr_}));
  Begin({i32_, ptr_});
  Call(callee, {builder_.Argument(0), builder_.Argument(1)});
  EXPECT_THAT(Check(), IsOk());
  Begin({i32_, ptr_});
  Call(callee, {builder_.Argument(1), builder_.Argument(0)});
  ExpectInvalid("an argument has another type than the parameter");
  Begin({i32_, ptr_});
  Call(callee, {builder_.Argument(0)});
  ExpectInvalid("the number of arguments is not that of the function's type");
}

TEST_F(CheckCallTest, VariadicFunctionsTakeFurtherArguments) {
  const uint32_t callee = builder_.Declare("callee", builder_.FunctionType(i32_, {ptr_}, true));
  Begin({i32_, ptr_});
  Call(callee, {builder_.Argument(1), builder_.Argument(0), builder_.Argument(1)});
  EXPECT_THAT(Check(), IsOk());
  Begin({i32_, ptr_});
  Call(callee, {});
  ExpectInvalid("the number of arguments is not that of the function's type");
  Begin({i32_, ptr_});
  Call(callee, {builder_.Argument(1), builder_.Null(builder_.Token())});
  ExpectUnknown("a further argument of this type");
}

TEST_F(CheckCallTest, TheResultIsThatOfTheFunction) {
  const uint32_t callee = builder_.Declare("callee", builder_.FunctionType(i32_, {}));
  Begin({});
  Call(callee, {});
  builder_.last().type = i64_;
  ExpectInvalid("the result has another type than the function's");
}

TEST_F(CheckCallTest, WhatIsCalledIsAFunction) {
  Begin({i32_});
  builder_.AddCall(Opcode::kCall, builder_.FunctionType(void_, {}), builder_.Argument(0), {});
  ExpectInvalid("what is called is no pointer");
  Begin({ptr_});
  builder_.AddCall(Opcode::kCall, builder_.FunctionType(void_, {}), builder_.Argument(0), {});
  builder_.function().calls[0].function_type = i32_;
  ExpectInvalid("what is called has not the type of a function");
  Begin({ptr_});
  builder_.AddCall(Opcode::kCall, builder_.FunctionType(void_, {}), builder_.Argument(0), {});
  builder_.function().calls[0].argument_count = 1;
  ExpectInvalid("the operands are not the arguments and what is called");
}

TEST_F(CheckCallTest, IntrinsicsHaveTheirSignature) {
  const uint32_t copy = builder_.Declare("llvm.memcpy.p0.p0.i64",
                                         builder_.FunctionType(void_, {ptr_, ptr_, i64_, i1_}));
  const uint32_t odd = builder_.Declare("llvm.memmove.p0", builder_.FunctionType(void_, {ptr_}));
  const uint32_t unchecked = builder_.Declare("llvm.other", builder_.FunctionType(void_, {ptr_}));
  Begin({ptr_, i64_});
  const Operand pointer = builder_.Argument(0), size = builder_.Argument(1);
  const Operand no = builder_.Constant(i1_, 0);
  Call(copy, {pointer, pointer, size, no});
  Call(unchecked, {pointer});
  EXPECT_THAT(Check(), IsOk());
  Begin({ptr_, i64_});
  Call(odd, {pointer});
  ExpectUnknown("an intrinsic with another signature than the known one");
  Begin({ptr_, i64_});
  builder_.AddCall(Opcode::kCall, builder_.FunctionType(void_, {ptr_}), builder_.AddressOf(copy),
                   {pointer});
  ExpectInvalid("an intrinsic is called by another type than its own");
}

// LLVM 22 has left out the alignment.
TEST_F(CheckCallTest, MaskedAccessesHaveAnAlignmentOrNot) {
  const Type* const vector = builder_.Vector(4, i32_);
  const Type* const mask = builder_.Vector(4, i1_);
  const uint32_t load = builder_.Declare("llvm.masked.load.v4i32.p0",
                                         builder_.FunctionType(vector, {ptr_, i32_, mask, vector}));
  const uint32_t later_load = builder_.Declare("llvm.masked.load.v4i32.p1",
                                               builder_.FunctionType(vector, {ptr_, mask, vector}));
  const uint32_t store = builder_.Declare("llvm.masked.store.v4i32.p0",
                                          builder_.FunctionType(void_, {vector, ptr_, i32_, mask}));
  const uint32_t later_store = builder_.Declare("llvm.masked.store.v4i32.p1",
                                                builder_.FunctionType(void_, {vector, ptr_, mask}));
  Begin({ptr_, vector, mask});
  const Operand pointer = builder_.Argument(0), lanes = builder_.Argument(1);
  const Operand chosen = builder_.Argument(2);
  const Operand alignment = builder_.Constant(i32_, 4);
  Call(load, {pointer, alignment, chosen, lanes});
  Call(later_load, {pointer, chosen, lanes});
  Call(store, {lanes, pointer, alignment, chosen});
  Call(later_store, {lanes, pointer, chosen});
  EXPECT_THAT(Check(), IsOk());
}

TEST_F(CheckCallTest, MaskedAccessesWithOtherArgumentsAreNotKnown) {
  const Type* const vector = builder_.Vector(4, i32_);
  const Type* const mask = builder_.Vector(4, i1_);
  const Type* const types[] = {
      builder_.FunctionType(vector, {ptr_, vector, vector}),      // No mask.
      builder_.FunctionType(vector, {ptr_, mask, mask}),          // Not the lanes' type.
      builder_.FunctionType(vector, {ptr_, i64_, mask, vector}),  // No alignment.
      builder_.FunctionType(vector, {vector, mask, vector}),      // No pointer.
      builder_.FunctionType(vector, {ptr_, mask}),                // No lanes.
      builder_.FunctionType(vector, {ptr_, mask, vector}, true),  // With a further argument.
  };
  for (const Type* type : types) {
    const uint32_t load = builder_.Declare("llvm.masked.load.v4i32.p0", type);
    Begin({ptr_, i32_, i64_, vector, mask});
    std::vector<Operand> arguments;
    for (const Type* parameter : type->parameters()) {
      uint32_t number = 0;
      while (builder_.function().values[number].type != parameter) ++number;
      arguments.push_back(builder_.Argument(number));
    }
    if (type->is_variadic) arguments.push_back(builder_.Argument(4));
    Call(load, arguments);
    ExpectUnknown("a masked access with other arguments than the known ones");
  }
}

TEST_F(CheckCallTest, ConstrainedOperationsSayHow) {
  const Type* const metadata = builder_.Metadata();
  const Type* const number = builder_.Double();
  const auto declare = [&](const char* name, const Type* result,
                           std::vector<const Type*> parameters) {
    return builder_.Declare(std::string("llvm.experimental.constrained.") + name,
                            builder_.FunctionType(result, parameters));
  };
  const uint32_t add = declare("fadd.f64", number, {number, number, metadata, metadata});
  const uint32_t floor = declare("floor.f64", number, {number, metadata});
  const uint32_t compare = declare("fcmp.f64", i1_, {number, number, metadata, metadata});
  const uint32_t narrow =
      declare("fptrunc.f32.f64", builder_.Float(), {number, metadata, metadata});
  const uint32_t round = declare("lrint.i64.f64", i64_, {number, metadata, metadata});
  const uint32_t odd = declare("fmul.f64", number, {number, i64_, metadata, metadata});
  const uint32_t widened = declare("fpext.f64.f64", number, {number, metadata});
  const uint32_t few = declare("fsub.f64", number, {number, number, metadata});
  // A call of the function, with a text for each metadata.
  const auto expect = [&](uint32_t callee, std::vector<const char*> texts) {
    Begin({number, i64_});
    std::vector<Operand> arguments;
    size_t next = 0;
    for (const Type* parameter : builder_.traits(callee).value_type->parameters()) {
      if (parameter != metadata) {
        arguments.push_back(builder_.Argument(parameter == number ? 0 : 1));
        continue;
      }
      arguments.push_back(builder_.Simple(ConstantKind::kMetadata, metadata));
      builder_.last_constant().set_data(texts[next++]);
    }
    Call(callee, arguments);
  };
  expect(add, {"round.dynamic", "fpexcept.strict"});
  EXPECT_THAT(Check(), IsOk());
  expect(floor, {"fpexcept.ignore"});
  EXPECT_THAT(Check(), IsOk());
  expect(compare, {"ult", "fpexcept.maytrap"});
  EXPECT_THAT(Check(), IsOk());
  expect(narrow, {"round.upward", "fpexcept.strict"});
  EXPECT_THAT(Check(), IsOk());
  expect(round, {"round.tonearestaway", "fpexcept.strict"});
  EXPECT_THAT(Check(), IsOk());

  expect(add, {"round.up", "fpexcept.strict"});
  ExpectInvalid("a constrained operation that rounds in no known way");
  expect(add, {"fpexcept.strict", "round.dynamic"});
  ExpectInvalid("a constrained operation that rounds in no known way");
  expect(add, {"round.dynamic", ""});
  ExpectInvalid("a constrained operation that treats exceptions in no known way");
  expect(floor, {"round.dynamic"});
  ExpectInvalid("a constrained operation that treats exceptions in no known way");
  expect(compare, {"lt", "fpexcept.strict"});
  ExpectInvalid("a constrained comparison by no known predicate");
  expect(compare, {"true", "fpexcept.strict"});
  ExpectInvalid("a constrained comparison by no known predicate");
  expect(odd, {"round.dynamic", "fpexcept.strict"});
  ExpectUnknown("a constrained operation with another signature than the known one");
  expect(widened, {"fpexcept.strict"});
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument));
  expect(few, {"fpexcept.strict"});
  ExpectInvalid("a constrained operation lacks arguments, or has too many");
}

TEST_F(CheckCallTest, OverflowIsAStructure) {
  const Type* const right = builder_.FunctionType(builder_.Struct({i32_, i1_}), {i32_, i32_});
  const Type* const wrong = builder_.FunctionType(builder_.Struct({i32_, i8_}), {i32_, i32_});
  const uint32_t sum = builder_.Declare("llvm.sadd.with.overflow.i32", right);
  const uint32_t product = builder_.Declare("llvm.smul.with.overflow.i32", wrong);
  Begin({i32_});
  Call(sum, {builder_.Argument(0), builder_.Argument(0)});
  EXPECT_THAT(Check(), IsOk());
  Begin({i32_});
  Call(product, {builder_.Argument(0), builder_.Argument(0)});
  ExpectUnknown("an intrinsic with another signature than the known one");
}

TEST_F(CheckCallTest, ArgumentsListsAreThoseOfVariadicFunctions) {
  const uint32_t start = builder_.Declare("llvm.va_start.p0", builder_.FunctionType(void_, {ptr_}));
  Begin({ptr_}, /*is_variadic=*/true);
  Call(start, {builder_.Argument(0)});
  EXPECT_THAT(Check(), IsOk());
  Begin({ptr_});
  Call(start, {builder_.Argument(0)});
  ExpectInvalid("the function that calls va_start is not variadic");
}

TEST_F(CheckCallTest, ImmediateArgumentsAreNumbers) {
  const uint32_t callee =
      builder_.Declare("llvm.ctlz.i32", builder_.FunctionType(i32_, {i32_, i1_}));
  AttributeList& list = builder_.attributes(callee);
  list.parameters.resize(2);
  list.parameters[1].kinds = list.anywhere = Bit(Attribute::kImmArg);
  Begin({i32_, i1_});
  Call(callee, {builder_.Argument(0), builder_.Constant(i1_, -1)});
  EXPECT_THAT(Check(), IsOk());
  Begin({i32_, i1_});
  Call(callee, {builder_.Argument(0), builder_.Argument(1)});
  ExpectInvalid("an argument that must be a number is none");
}

TEST_F(CheckCallTest, BytesAreSwappedInPairs) {
  const uint32_t callee = builder_.Declare("llvm.bswap.i8", builder_.FunctionType(i8_, {i8_}));
  Begin({i8_});
  Call(callee, {builder_.Argument(0)});
  ExpectInvalid("the number of bytes to swap is not even");
}

TEST_F(CheckCallTest, AddressesOfThreadLocalVariables) {
  const uint32_t callee =
      builder_.Declare("llvm.threadlocal.address.p0", builder_.FunctionType(ptr_, {ptr_}));
  const uint32_t variable = builder_.AddVariable("v", i32_);
  Begin({});
  Call(callee, {builder_.AddressOf(variable)});
  ExpectInvalid("the argument is no thread-local variable");
  builder_.traits(variable).thread_local_mode = ThreadLocalMode::kGeneralDynamic;
  Begin({});
  Call(callee, {builder_.AddressOf(variable)});
  EXPECT_THAT(Check(), IsOk());
}

TEST_F(CheckCallTest, WhatIsPassedByValueHasALayout) {
  const uint32_t callee = builder_.Declare("callee", builder_.FunctionType(void_, {ptr_}));
  Begin({ptr_});
  Call(callee, {builder_.Argument(0)});
  SetAttribute(0, Attribute::kByVal).type = i32_;
  EXPECT_THAT(Check(), IsOk());
  Begin({ptr_});
  Call(callee, {builder_.Argument(0)});
  SetAttribute(0, Attribute::kByVal);
  ExpectInvalid("an attribute without its type");
  Begin({ptr_});
  Call(callee, {builder_.Argument(0)});
  SetAttribute(0, Attribute::kByVal).type = builder_.Opaque();
  ExpectInvalid("the type in memory has no size");
  Begin({ptr_});
  Call(callee, {builder_.Argument(0)});
  SetAttribute(0, Attribute::kByVal).type = builder_.Array(uint64_t{1} << 28, i8_);
  ExpectUnknown("2^28 bytes or more passed by value");
  Begin({ptr_});
  Call(callee, {builder_.Argument(0)});
  AttributeSet& odd = SetAttribute(0, Attribute::kByVal);
  odd.type = i32_;
  odd.alignment = 12;
  ExpectInvalid("the alignment of a parameter is no power of two");
}

TEST_F(CheckCallTest, AttributesOfPointersStandAtPointers) {
  const uint32_t callee = builder_.Declare("callee", builder_.FunctionType(void_, {i32_, ptr_}));
  Begin({i32_, ptr_});
  Call(callee, {builder_.Argument(0), builder_.Argument(1)});
  SetAttribute(0, Attribute::kStructRet).type = i32_;
  ExpectInvalid("an attribute of pointers at what is no pointer");
}

TEST_F(CheckCallTest, OneParameterHasTheSelf) {
  const uint32_t callee = builder_.Declare("callee", builder_.FunctionType(void_, {ptr_, ptr_}));
  Begin({ptr_});
  Call(callee, {builder_.Argument(0), builder_.Argument(0)});
  AttributeList& list = builder_.AttributesOfCall();
  list.parameters.resize(2);
  list.anywhere = Bit(Attribute::kSwiftSelf);
  for (AttributeSet& set : list.parameters) set.kinds = list.anywhere;
  ExpectInvalid("two parameters with an attribute that only one can have");
}

TEST_F(CheckCallTest, ErrorsArePassedInVariablesForErrors) {
  const uint32_t callee = builder_.Declare("callee", builder_.FunctionType(void_, {ptr_}));
  Begin({ptr_});
  const Operand one = builder_.Constant(i64_, 1);
  const Operand variable = builder_.Add(Opcode::kAlloca, ptr_, {one});
  builder_.last().source_type = ptr_;
  builder_.last().is_swift_error = true;
  Call(callee, {variable});
  SetAttribute(0, Attribute::kSwiftError);
  EXPECT_THAT(Check(), IsOk());
  Begin({ptr_});
  Call(callee, {builder_.Argument(0)});
  SetAttribute(0, Attribute::kSwiftError);
  ExpectInvalid("a swifterror argument is no variable for errors");
  Begin({ptr_});
  Call(callee, {builder_.Null(ptr_)});
  SetAttribute(0, Attribute::kSwiftError);
  ExpectInvalid("a swifterror argument is no variable for errors");
}

TEST_F(CheckCallTest, AttributesOfTheCalleeCount) {
  const uint32_t callee = builder_.Declare("callee", builder_.FunctionType(void_, {ptr_}));
  AttributeList& list = builder_.attributes(callee);
  list.parameters.resize(1);
  list.parameters[0].kinds = list.anywhere = Bit(Attribute::kSwiftError);
  Begin({ptr_});
  Call(callee, {builder_.Argument(0)});
  ExpectUnknown("a call with other attributes than the function's");
}

}  // namespace
}  // namespace firstcall::ir
