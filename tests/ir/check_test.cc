// Also tests ir/check_memory, ir/check_operation, ir/type_rules, ir/check_edges.cc and
// ir/check_phis.cc, which check parts of bodies. Calls are in check_call_test.cc.

#include "ir/check.h"

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

// Builds "f", whose parameters are those of `Begin`, in blocks that the test adds.
class CheckTest : public ::testing::Test {
 protected:
  void Begin(std::vector<const Type*> parameters, const Type* result = nullptr) {
    builder_.Begin(builder_.FunctionType(result == nullptr ? builder_.Void() : result, parameters));
    builder_.BeginBlock();
  }

  Operand Add(Opcode opcode, const Type* type, const std::vector<Operand>& operands,
              const std::vector<uint32_t>& targets = {}) {
    return builder_.Add(opcode, type, operands, targets);
  }
  void Return() { Add(Opcode::kRet, builder_.Void(), {}); }

  absl::Status Check() {
    for (Value& value : builder_.function().values) value.uses = 0;
    builder_.function().CountUses();
    return checker_.Check(builder_.function());
  }

  // Ends the block with a return.
  void ExpectValid() {
    Return();
    EXPECT_THAT(Check(), IsOk());
  }
  void ExpectInvalid(const std::string& text) {
    Return();
    EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
  }
  void ExpectUnknown(const std::string& text) {
    Return();
    EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(text)));
  }

  Operand Argument(uint32_t number) const { return builder_.Argument(number); }

  FunctionBuilder builder_;
  Checker checker_;
  const Type* const void_ = builder_.Void();
  const Type* const i1_ = builder_.Integer(1);
  const Type* const i8_ = builder_.Integer(8);
  const Type* const i32_ = builder_.Integer(32);
  const Type* const i64_ = builder_.Integer(64);
  const Type* const ptr_ = builder_.Pointer();
  const Type* const float_ = builder_.Float();
  const Type* const double_ = builder_.Double();
};

TEST_F(CheckTest, TellsWhereTheFaultIs) {
  Begin({i32_, i64_});
  Add(Opcode::kAdd, i32_, {Argument(0), Argument(0)});
  Add(Opcode::kBr, void_, {}, {1});
  builder_.BeginBlock();
  Add(Opcode::kAdd, i32_, {Argument(0), Argument(1)});
  Return();
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument,
                                "checking function 'f': block 1, instruction 2 (add): the operands "
                                "have different types"));
}

TEST_F(CheckTest, ArgumentsHaveTheTypesOfTheFunction) {
  Begin({i32_});
  builder_.function().values[0].type = i64_;
  ExpectInvalid("checking function 'f': an argument has another type than the parameter");
}

TEST_F(CheckTest, CountsOperands) {
  Begin({i32_});
  Add(Opcode::kAdd, i32_, {Argument(0)});
  ExpectInvalid("a wrong number of operands, of targets or of results");
}

TEST_F(CheckTest, CountsTargets) {
  Begin({i32_});
  Add(Opcode::kAdd, i32_, {Argument(0), Argument(0)}, {0});
  ExpectInvalid("a wrong number of operands, of targets or of results");
}

TEST_F(CheckTest, AStoreHasNoResult) {
  Begin({ptr_});
  Add(Opcode::kStore, i32_, {Argument(0), Argument(0)});
  ExpectInvalid("a wrong number of operands, of targets or of results");
}

TEST_F(CheckTest, BinaryOperationsHaveOneType) {
  Begin({i32_, float_});
  Add(Opcode::kXor, i32_, {Argument(0), Argument(0)});
  Add(Opcode::kFMul, float_, {Argument(1), Argument(1)});
  ExpectValid();
}

TEST_F(CheckTest, ResultsOfOperationsHaveTheTypeOfTheOperands) {
  Begin({i32_});
  Add(Opcode::kAdd, i64_, {Argument(0), Argument(0)});
  ExpectInvalid("the result has another type than the operands");
}

TEST_F(CheckTest, IntegersAreNotAddedAsFloats) {
  Begin({i32_});
  Add(Opcode::kFAdd, i32_, {Argument(0), Argument(0)});
  ExpectInvalid("the operands are no floating-point numbers");
}

TEST_F(CheckTest, FloatsAreNotAddedAsIntegers) {
  Begin({float_});
  Add(Opcode::kAdd, float_, {Argument(0), Argument(0)});
  ExpectInvalid("the operands are no integers");
}

TEST_F(CheckTest, ComparisonsReturnTruthValues) {
  const Type* const vector = builder_.Vector(4, i32_);
  Begin({i32_, vector, ptr_, float_});
  Add(Opcode::kICmp, i1_, {Argument(0), Argument(0)});
  builder_.last().code = static_cast<uint8_t>(Predicate::kIcmpSlt);
  Add(Opcode::kICmp, builder_.Vector(4, i1_), {Argument(1), Argument(1)});
  builder_.last().code = static_cast<uint8_t>(Predicate::kIcmpSle);
  Add(Opcode::kICmp, i1_, {Argument(2), Argument(2)});
  builder_.last().code = static_cast<uint8_t>(Predicate::kIcmpEq);
  Add(Opcode::kFCmp, i1_, {Argument(3), Argument(3)});
  builder_.last().code = static_cast<uint8_t>(Predicate::kTrue);
  ExpectValid();
}

TEST_F(CheckTest, ComparisonsOfVectorsReturnVectors) {
  const Type* const vector = builder_.Vector(4, i32_);
  Begin({vector});
  Add(Opcode::kICmp, i1_, {Argument(0), Argument(0)});
  builder_.last().code = static_cast<uint8_t>(Predicate::kIcmpEq);
  ExpectInvalid("the result has a wrong type");
}

TEST_F(CheckTest, PredicatesFitTheOperands) {
  Begin({i32_});
  Add(Opcode::kICmp, i1_, {Argument(0), Argument(0)});
  builder_.last().code = 42;
  ExpectInvalid("the predicate is none of integers");
}

TEST_F(CheckTest, PredicatesOfFloatsAreThoseOfFloats) {
  Begin({float_});
  Add(Opcode::kFCmp, i1_, {Argument(0), Argument(0)});
  builder_.last().code = static_cast<uint8_t>(Predicate::kIcmpEq);
  ExpectInvalid("the predicate is none of floating-point numbers");
}

TEST_F(CheckTest, SelectChoosesValuesOfItsType) {
  Begin({i1_, i32_, i64_});
  Add(Opcode::kSelect, i32_, {Argument(0), Argument(1), Argument(2)});
  ExpectInvalid("a value to choose has another type than the result");
}

TEST_F(CheckTest, SelectNeedsATruthValue) {
  Begin({i32_});
  Add(Opcode::kSelect, i32_, {Argument(0), Argument(0), Argument(0)});
  ExpectInvalid("the condition is no i1");
}

TEST_F(CheckTest, TokensAreNotChosen) {
  Begin({i1_});
  const Operand none = builder_.Null(builder_.Token());
  Add(Opcode::kSelect, builder_.Token(), {Argument(0), none, none});
  ExpectInvalid("values of this type cannot be chosen");
}

// The result of a cast.
struct Cast {
  Opcode opcode;
  const Type* from;
  const Type* to;
};

TEST_F(CheckTest, CastsThatThereAre) {
  const Type* const pointers = builder_.Vector(2, ptr_);
  const Type* const other = builder_.Pointer(1);
  for (const Cast& cast : {Cast{Opcode::kTrunc, i64_, i32_},
                           {Opcode::kZExt, i1_, i64_},
                           {Opcode::kSExt, builder_.Vector(4, i8_), builder_.Vector(4, i32_)},
                           {Opcode::kFPTrunc, double_, float_},
                           {Opcode::kFPExt, float_, double_},
                           {Opcode::kFPToSI, double_, i8_},
                           {Opcode::kUIToFP, i1_, float_},
                           {Opcode::kPtrToInt, pointers, builder_.Vector(2, i8_)},
                           {Opcode::kIntToPtr, i8_, ptr_},
                           {Opcode::kBitCast, builder_.Vector(4, i8_), float_},
                           {Opcode::kBitCast, ptr_, builder_.Vector(1, ptr_)},
                           {Opcode::kAddrSpaceCast, ptr_, other}}) {
    Begin({cast.from});
    Add(cast.opcode, cast.to, {Argument(0)});
    ExpectValid();
  }
}

TEST_F(CheckTest, CastsThatThereAreNot) {
  struct Case {
    Cast cast;
    std::string text;
  };
  const std::string kind = "a type that such a cast does not have";
  const std::string shape = "different numbers of elements";
  for (const Case& one : std::vector<Case>{
           {{Opcode::kTrunc, i32_, i32_}, "the result is not narrower"},
           {{Opcode::kZExt, i32_, i8_}, "the result is not wider"},
           {{Opcode::kSExt, float_, i64_}, kind},
           {{Opcode::kZExt, builder_.Vector(2, i8_), builder_.Vector(4, i32_)}, shape},
           {{Opcode::kFPExt, double_, float_}, "the result is not wider"},
           {{Opcode::kFPToUI, i32_, i8_}, kind},
           {{Opcode::kSIToFP, i32_, builder_.Vector(2, float_)}, shape},
           {{Opcode::kPtrToInt, i64_, i64_}, kind},
           {{Opcode::kIntToPtr, ptr_, ptr_}, kind},
           {{Opcode::kBitCast, i64_, i32_}, "different widths"},
           {{Opcode::kBitCast, i64_, ptr_}, kind},
           {{Opcode::kBitCast, ptr_, builder_.Pointer(1)}, "different address spaces"},
           {{Opcode::kBitCast, builder_.Struct({i32_}), i32_}, kind},
           {{Opcode::kAddrSpaceCast, ptr_, ptr_}, "the same address space"}}) {
    Begin({one.cast.from});
    Add(one.cast.opcode, one.cast.to, {Argument(0)});
    ExpectInvalid(one.text);
  }
}

TEST_F(CheckTest, LoadsWhatHasASizeFromPointers) {
  Begin({ptr_, i64_});
  Add(Opcode::kLoad, i32_, {Argument(0)});
  Add(Opcode::kStore, void_, {Argument(0), Argument(1)});
  ExpectValid();
  Begin({i64_});
  Add(Opcode::kLoad, i32_, {Argument(0)});
  ExpectInvalid("the address is no pointer");
  Begin({ptr_});
  Add(Opcode::kLoad, builder_.Token(), {Argument(0)});
  ExpectInvalid("the type in memory has no size");
  Begin({ptr_});
  Add(Opcode::kLoad, builder_.Array(uint64_t{1} << 62, i8_), {Argument(0)});
  ExpectUnknown("the type in memory has no layout that is known");
}

TEST_F(CheckTest, AlignmentsAreBounded) {
  Begin({ptr_});
  Add(Opcode::kLoad, i32_, {Argument(0)});
  builder_.last().alignment_log = 33;
  ExpectInvalid("the alignment is too large");
  Begin({ptr_});
  Add(Opcode::kLoad, i32_, {Argument(0)});
  builder_.last().alignment_log = 31;
  ExpectUnknown("an alignment of 2^31 bytes or more");
}

TEST_F(CheckTest, AtomicLoadsDoNotRelease) {
  Begin({ptr_});
  Add(Opcode::kLoad, i32_, {Argument(0)});
  builder_.last().ordering = static_cast<uint8_t>(Ordering::kRelease);
  ExpectInvalid("an access of this kind cannot have the ordering");
  Begin({ptr_});
  Add(Opcode::kLoad, i32_, {Argument(0)});
  builder_.last().ordering = 7;
  ExpectInvalid("an access of this kind cannot have the ordering");
  Begin({ptr_, i32_});
  Add(Opcode::kStore, void_, {Argument(0), Argument(1)});
  builder_.last().ordering = static_cast<uint8_t>(Ordering::kAcquire);
  ExpectInvalid("an access of this kind cannot have the ordering");
}

TEST_F(CheckTest, AtomicAccessesAreWholeBytes) {
  Begin({ptr_});
  Add(Opcode::kLoad, builder_.Integer(24), {Argument(0)});
  builder_.last().ordering = static_cast<uint8_t>(Ordering::kMonotonic);
  ExpectInvalid("the size of the atomic access is no power of two, in bytes");
  Begin({ptr_});
  Add(Opcode::kLoad, builder_.Struct({i32_}), {Argument(0)});
  builder_.last().ordering = static_cast<uint8_t>(Ordering::kMonotonic);
  ExpectInvalid("the atomic access is to neither an integer, a pointer nor a float");
}

TEST_F(CheckTest, AllocatesWhatHasASize) {
  Begin({i64_});
  Add(Opcode::kAlloca, ptr_, {Argument(0)});
  builder_.last().source_type = i32_;
  ExpectValid();
  Begin({i64_});
  Add(Opcode::kAlloca, ptr_, {Argument(0)});
  builder_.last().source_type = builder_.Opaque();
  ExpectInvalid("the type in memory has no size");
  Begin({ptr_});
  Add(Opcode::kAlloca, ptr_, {Argument(0)});
  builder_.last().source_type = i32_;
  ExpectInvalid("the number of elements is no integer");
}

TEST_F(CheckTest, ComparesAndExchanges) {
  const auto exchange = [&](const Type* result, Ordering success, Ordering failure) {
    Begin({ptr_, i32_});
    Add(Opcode::kCmpXchg, result, {Argument(0), Argument(1), Argument(1)});
    builder_.last().ordering = static_cast<uint8_t>(success);
    builder_.last().failure_ordering = static_cast<uint8_t>(failure);
  };
  exchange(builder_.Struct({i32_, i1_}), Ordering::kAcquireRelease, Ordering::kAcquire);
  ExpectValid();
  exchange(i32_, Ordering::kAcquireRelease, Ordering::kAcquire);
  ExpectInvalid("the result is no structure of the value and an i1");
  exchange(builder_.Struct({i32_, i1_}), Ordering::kNotAtomic, Ordering::kAcquire);
  ExpectInvalid("cannot have the orderings");
  exchange(builder_.Struct({i32_, i1_}), Ordering::kAcquire, Ordering::kRelease);
  ExpectInvalid("cannot have the orderings");
}

TEST_F(CheckTest, UpdatesAtomically) {
  const auto update = [&](const Type* type, AtomicOperation operation, Ordering ordering) {
    Begin({ptr_, type});
    Add(Opcode::kAtomicRmw, type, {Argument(0), Argument(1)});
    builder_.last().code = static_cast<uint8_t>(operation);
    builder_.last().ordering = static_cast<uint8_t>(ordering);
  };
  update(i32_, AtomicOperation::kAdd, Ordering::kMonotonic);
  ExpectValid();
  update(float_, AtomicOperation::kFAdd, Ordering::kSequentiallyConsistent);
  ExpectValid();
  update(ptr_, AtomicOperation::kXchg, Ordering::kAcquire);
  ExpectValid();
  update(float_, AtomicOperation::kAdd, Ordering::kMonotonic);
  ExpectInvalid("the operation is none of values of this type");
  update(i32_, AtomicOperation::kAdd, Ordering::kUnordered);
  ExpectInvalid("cannot have the ordering");
  update(float_, AtomicOperation::kFMaximum, Ordering::kMonotonic);
  ExpectValid();
  update(i32_, AtomicOperation::kFMinimum, Ordering::kMonotonic);
  ExpectInvalid("the operation is none of values of this type");
  update(i32_, static_cast<AtomicOperation>(21), Ordering::kMonotonic);
  ExpectUnknown("an operation of this kind");
}

TEST_F(CheckTest, FencesHaveAnOrdering) {
  Begin({});
  Add(Opcode::kFence, void_, {});
  builder_.last().ordering = static_cast<uint8_t>(Ordering::kMonotonic);
  ExpectInvalid("a fence cannot have the ordering");
}

class ElementAddressTest : public CheckTest {
 protected:
  // Of %pair = { i32, [4 x i8] }, with the result `type`.
  void Index(const std::vector<Operand>& operands, const Type* type) {
    Add(Opcode::kGetElementPtr, type, operands);
    builder_.last().source_type = pair_;
  }
  Operand Number(const Type* type, int64_t value) { return builder_.Constant(type, value); }

  const Type* const pair_ = builder_.Struct({i32_, builder_.Array(4, i8_)});
  const Type* const pointers_ = builder_.Vector(2, ptr_);
  const Type* const indices_ = builder_.Vector(2, i32_);
};

TEST_F(ElementAddressTest, IndexesMembers) {
  Begin({ptr_, i64_, pointers_});
  Index({Argument(0), Argument(1), Number(i32_, 1), Argument(1)}, ptr_);
  const Operand ones = builder_.Aggregate(indices_, {Number(i32_, 1), Number(i32_, 1)});
  Index({Argument(2), Argument(1), ones}, pointers_);
  Index({Argument(0), Argument(1), builder_.Null(indices_)}, pointers_);
  Index({Argument(0), Argument(1), builder_.Data(indices_, std::string("\1\0\0\0\1\0\0\0", 8))},
        pointers_);
  Index({Argument(0)}, ptr_);
  ExpectValid();
}

TEST_F(ElementAddressTest, MembersAreNumberedByConstants) {
  Begin({ptr_, i32_});
  Index({Argument(0), Argument(1), Argument(1)}, ptr_);
  ExpectInvalid("the index of a structure's member is no constant i32");
  Begin({ptr_, i32_});
  Index({Argument(0), Argument(1), Number(i64_, 1)}, ptr_);
  ExpectInvalid("the index of a structure's member is no constant i32");
  for (int64_t number : {2, -1}) {
    Begin({ptr_, i32_});
    Index({Argument(0), Argument(1), Number(i32_, number)}, ptr_);
    ExpectInvalid("the index of a structure's member is too large");
  }
  Begin({ptr_, i32_});
  const Operand several = builder_.Aggregate(indices_, {Number(i32_, 0), Number(i32_, 1)});
  Index({Argument(0), Argument(1), several}, pointers_);
  ExpectInvalid("the index of a structure's member is not one number");
  Begin({ptr_, i32_});
  Index({Argument(0), Argument(1), builder_.Undef(i32_)}, ptr_);
  ExpectInvalid("the index of a structure's member is not one number");
}

TEST_F(ElementAddressTest, OperandsAndResultFit) {
  Begin({i64_});
  Index({Argument(0), Argument(0)}, ptr_);
  ExpectInvalid("the base is no pointer");
  Begin({ptr_, float_});
  Index({Argument(0), Argument(1)}, ptr_);
  ExpectInvalid("an index is no integer");
  Begin({ptr_, i64_});
  Index({Argument(0), Argument(1), Number(i32_, 0), Argument(1)}, ptr_);
  ExpectInvalid("an index stands for what has no members");
  Begin({ptr_, i64_});
  Index({Argument(0), Argument(1)}, builder_.Pointer(1));
  ExpectInvalid("the result has a wrong type");
  Begin({pointers_, builder_.Vector(4, i64_)});
  Index({Argument(0), Argument(1)}, pointers_);
  ExpectInvalid("the operands are vectors of different sizes");
  Begin({ptr_, i64_});
  Index({Argument(0), Argument(1)}, ptr_);
  builder_.last().source_type = builder_.Opaque();
  ExpectInvalid("the type in memory has no size");
}

TEST_F(CheckTest, TakesElementsOfVectors) {
  const Type* const vector = builder_.Vector(4, i32_);
  Begin({vector, i32_, i64_});
  Add(Opcode::kExtractElement, i32_, {Argument(0), Argument(2)});
  Add(Opcode::kInsertElement, vector, {Argument(0), Argument(1), Argument(2)});
  ExpectValid();
  Begin({vector, i32_});
  Add(Opcode::kExtractElement, i64_, {Argument(0), Argument(1)});
  ExpectInvalid("the result is no element of the vector");
  Begin({i32_});
  Add(Opcode::kExtractElement, i32_, {Argument(0), Argument(0)});
  ExpectInvalid("the first operand is no vector");
  Begin({vector, i32_});
  Add(Opcode::kInsertElement, i32_, {Argument(0), Argument(1), Argument(1)});
  ExpectInvalid("the result has another type than the vector");
}

TEST_F(CheckTest, ShufflesByConstantMasks) {
  const Type* const vector = builder_.Vector(4, float_);
  const Type* const mask = builder_.Vector(2, i32_);
  const Type* const result = builder_.Vector(2, float_);
  Begin({vector, mask});
  const Operand seven = builder_.Constant(i32_, 7), none = builder_.Undef(i32_);
  Add(Opcode::kShuffleVector, result,
      {Argument(0), Argument(0), builder_.Aggregate(mask, {seven, none})});
  Add(Opcode::kShuffleVector, result, {Argument(0), Argument(0), builder_.Null(mask)});
  ExpectValid();
  Begin({vector, mask});
  Add(Opcode::kShuffleVector, result, {Argument(0), Argument(0), Argument(1)});
  ExpectInvalid("the mask is no constant vector of i32");
  Begin({vector});
  Add(Opcode::kShuffleVector, result,
      {Argument(0), Argument(0), builder_.Data(mask, std::string("\0\0\0\0\10\0\0\0", 8))});
  ExpectInvalid("the mask has the number of no element");
  Begin({vector});
  Add(Opcode::kShuffleVector, vector, {Argument(0), Argument(0), builder_.Null(mask)});
  ExpectInvalid("the result is no vector of the operands' elements");
}

TEST_F(CheckTest, TakesMembersOfAggregates) {
  const Type* const inner = builder_.Array(2, i8_);
  const Type* const outer = builder_.Struct({i32_, inner});
  Begin({outer, i8_});
  Add(Opcode::kExtractValue, i8_, {Argument(0)}, {1, 1});
  Add(Opcode::kInsertValue, outer, {Argument(0), Argument(1)}, {1, 0});
  ExpectValid();
  Begin({outer});
  Add(Opcode::kExtractValue, i8_, {Argument(0)}, {1, 2});
  ExpectInvalid("an index is that of no member");
  Begin({outer});
  Add(Opcode::kExtractValue, i32_, {Argument(0)}, {0, 0});
  ExpectInvalid("an index is that of no member");
  Begin({outer});
  Add(Opcode::kExtractValue, outer, {Argument(0)}, {});
  ExpectInvalid("there is no index");
  Begin({outer});
  Add(Opcode::kExtractValue, i8_, {Argument(0)}, {0});
  ExpectInvalid("the result has another type than the member");
  Begin({outer, i8_});
  Add(Opcode::kInsertValue, outer, {Argument(0), Argument(1)}, {0});
  ExpectInvalid("the value has another type than the member");
}

TEST_F(CheckTest, FreezesAndNegates) {
  Begin({float_, i32_});
  Add(Opcode::kFreeze, i32_, {Argument(1)});
  Add(Opcode::kFNeg, float_, {Argument(0)});
  ExpectValid();
  Begin({i32_});
  Add(Opcode::kFNeg, i32_, {Argument(0)});
  ExpectInvalid("the operand is no floating-point number");
  Begin({i32_});
  Add(Opcode::kFreeze, i64_, {Argument(0)});
  ExpectInvalid("the result has another type than the operand");
}

TEST_F(CheckTest, PadsOfWindowsAreNotKnown) {
  Begin({});
  Add(Opcode::kCleanupPad, builder_.Token(), {builder_.Null(builder_.Token())});
  ExpectUnknown("pads of Windows' exceptions");
}

TEST_F(CheckTest, ReturnsTheTypeOfTheFunction) {
  Begin({i64_}, i32_);
  Return();
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("the function must return a value")));
  Begin({i64_}, i32_);
  Add(Opcode::kRet, void_, {Argument(0)});
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("the function returns values of another type")));
}

TEST_F(CheckTest, TheEntryBlockIsNoTarget) {
  Begin({});
  Add(Opcode::kBr, void_, {}, {0});
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("the entry block is a target")));
}

TEST_F(CheckTest, BranchesHaveTargetsForTheirConditions) {
  Begin({i1_, i32_});
  Add(Opcode::kBr, void_, {Argument(0)}, {1});
  builder_.BeginBlock();
  ExpectInvalid("two targets need a condition, and one target needs none");
  Begin({i1_, i32_});
  Add(Opcode::kBr, void_, {Argument(1)}, {1, 1});
  builder_.BeginBlock();
  ExpectInvalid("the condition is no i1");
}

TEST_F(CheckTest, CasesAreDifferentNumbers) {
  const auto choose = [&](std::vector<int64_t> numbers, const Type* type) {
    Begin({i32_});
    std::vector<Operand> operands = {Argument(0)};
    for (int64_t number : numbers) operands.push_back(builder_.Constant(type, number));
    Add(Opcode::kSwitch, void_, operands, std::vector<uint32_t>(operands.size(), 1));
    builder_.BeginBlock();
  };
  choose({3, -1, 2}, i32_);
  ExpectValid();
  choose({3, -1, 3}, i32_);
  ExpectInvalid("two cases are the same number");
  choose({3}, i64_);
  ExpectInvalid("a case is no number of the condition's type");
  choose({3}, i32_);
  builder_.function().instructions[0].target_count = 1;
  ExpectInvalid("the cases have not one target each");
}

// 0 -> 1, 2; 1 -> 3; 2 -> 3
class DiamondTest : public CheckTest {
 protected:
  void BeginDiamond() {
    Begin({i1_, i32_});
    Add(Opcode::kBr, void_, {Argument(0)}, {1, 2});
    builder_.BeginBlock();
    left_ = Add(Opcode::kAdd, i32_, {Argument(1), Argument(1)});
    Add(Opcode::kBr, void_, {}, {3});
    builder_.BeginBlock();
    right_ = Add(Opcode::kMul, i32_, {Argument(1), Argument(1)});
    Add(Opcode::kBr, void_, {}, {3});
    builder_.BeginBlock();
  }

  Operand left_, right_;
};

TEST_F(DiamondTest, PhisJoinValues) {
  BeginDiamond();
  Add(Opcode::kPhi, i32_, {left_, right_}, {1, 2});
  Add(Opcode::kPhi, i32_, {left_, right_}, {1, 2});
  Add(Opcode::kPhi, i32_, {right_, Argument(1)}, {2, 1});
  ExpectValid();
}

TEST_F(DiamondTest, PhisHaveAValueForEachEdge) {
  const std::string text = "the phi has not one value for each edge to the block";
  BeginDiamond();
  Add(Opcode::kPhi, i32_, {left_}, {1});
  ExpectInvalid(text);
  BeginDiamond();
  Add(Opcode::kPhi, i32_, {left_, left_}, {1, 1});
  ExpectInvalid(text);
  BeginDiamond();
  Add(Opcode::kPhi, i32_, {Argument(1), Argument(1)}, {1, 0});
  ExpectInvalid(text);
}

TEST_F(DiamondTest, ValuesOfPhisAreDefinedBeforeTheEdge) {
  BeginDiamond();
  Add(Opcode::kPhi, i32_, {right_, left_}, {1, 2});
  ExpectInvalid("an operand is not defined on every way to its use");
}

TEST_F(DiamondTest, ValuesOfPhisHaveTheirType) {
  BeginDiamond();
  Add(Opcode::kPhi, i32_, {left_, Argument(0)}, {1, 2});
  ExpectInvalid("a value has another type than the phi");
}

TEST_F(DiamondTest, PhisStandFirst) {
  BeginDiamond();
  Add(Opcode::kAdd, i32_, {Argument(1), Argument(1)});
  Add(Opcode::kPhi, i32_, {left_, right_}, {1, 2});
  ExpectInvalid("a phi behind another instruction");
}

TEST_F(DiamondTest, UsesAreDominatedByDefinitions) {
  BeginDiamond();
  Add(Opcode::kAdd, i32_, {left_, left_});
  ExpectInvalid("block 3, instruction 5 (add): an operand is not defined on every way to its use");
}

TEST_F(CheckTest, TheEntryBlockHasNoPhis) {
  Begin({});
  Add(Opcode::kPhi, i32_, {}, {});
  ExpectInvalid("a phi in the entry block");
}

TEST_F(CheckTest, PhisHaveEqualValuesForEdgesFromOneBlock) {
  Begin({i1_, i32_});
  Add(Opcode::kBr, void_, {Argument(0)}, {1, 1});
  builder_.BeginBlock();
  Add(Opcode::kPhi, i32_, {Argument(1), Argument(1)}, {0, 0});
  ExpectValid();
  Begin({i1_, i32_, i32_});
  Add(Opcode::kBr, void_, {Argument(0)}, {1, 1});
  builder_.BeginBlock();
  Add(Opcode::kPhi, i32_, {Argument(1), Argument(2)}, {0, 0});
  ExpectInvalid("different values for edges from one block");
}

TEST_F(CheckTest, DefinitionsStandBeforeUses) {
  Begin({i32_});
  Add(Opcode::kAdd, i32_, {Argument(0), builder_.Next(1)});
  Add(Opcode::kAdd, i32_, {Argument(0), Argument(0)});
  ExpectInvalid("an operand is not defined on every way to its use");
}

TEST_F(CheckTest, BlocksThatAreNeverReachedMayUseAnything) {
  Begin({i32_});
  Return();
  builder_.BeginBlock();
  Add(Opcode::kAdd, i32_, {builder_.Next(), Argument(0)});
  ExpectValid();
}

TEST_F(CheckTest, ValuesLiveThroughLoops) {
  Begin({i1_, i32_});
  Add(Opcode::kBr, void_, {}, {1});
  builder_.BeginBlock();
  const Operand value = Add(Opcode::kAdd, i32_, {Argument(1), Argument(1)});
  Add(Opcode::kBr, void_, {}, {2});
  builder_.BeginBlock();
  Add(Opcode::kAdd, i32_, {value, value});
  Add(Opcode::kBr, void_, {Argument(0)}, {2, 3});
  builder_.BeginBlock();
  Add(Opcode::kAdd, i32_, {value, value});
  ExpectValid();
}

class LandingPadTest : public CheckTest {
 protected:
  LandingPadTest() {
    routine_ = builder_.Declare("routine", builder_.FunctionType(i32_, {}, true));
    thrower_ = builder_.Declare("thrower", builder_.FunctionType(i32_, {}));
  }

  // 0: invoke, to 1 or 2; 1: return; 2: begun, without instructions.
  void BeginInvoke() {
    Begin({});
    builder_.traits(0).personality = builder_.AddressOf(routine_);
    result_ = builder_.AddCall(Opcode::kInvoke, builder_.FunctionType(i32_, {}),
                               builder_.AddressOf(thrower_), {}, {1, 2});
    builder_.BeginBlock();
    Return();
    builder_.BeginBlock();
  }
  Operand AddPad(const std::vector<Operand>& clauses = {},
                 const std::vector<uint32_t>& kinds = {}) {
    const Operand pad = Add(Opcode::kLandingPad, exception_, clauses, kinds);
    builder_.last().is_cleanup = clauses.empty();
    return pad;
  }

  const Type* const exception_ = builder_.Struct({ptr_, i32_});
  uint32_t routine_, thrower_;
  Operand result_;
};

TEST_F(LandingPadTest, CatchesExceptions) {
  BeginInvoke();
  const Operand list = builder_.Aggregate(builder_.Array(1, ptr_), {builder_.AddressOf(thrower_)});
  const Operand pad = AddPad({builder_.Null(ptr_), list}, {0, 1});
  Add(Opcode::kResume, void_, {pad});
  EXPECT_THAT(Check(), IsOk());
}

TEST_F(LandingPadTest, InvokesUnwindToPads) {
  BeginInvoke();
  ExpectInvalid("the invoke unwinds to a block without a landing pad");
}

TEST_F(LandingPadTest, OnlyInvokesLeadToPads) {
  BeginInvoke();
  AddPad();
  Return();
  builder_.BeginBlock();
  Add(Opcode::kBr, void_, {}, {2});
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("the target of what does not unwind")));
}

TEST_F(LandingPadTest, PadsStandFirst) {
  BeginInvoke();
  AddPad();
  AddPad();
  ExpectInvalid("a landing pad that is not the first instruction behind the phis");
}

TEST_F(LandingPadTest, PadsNeedAPersonality) {
  BeginInvoke();
  builder_.traits(0).personality = Operand();
  AddPad();
  ExpectInvalid("the function has no personality");
}

TEST_F(LandingPadTest, ClausesHaveTheirTypes) {
  BeginInvoke();
  AddPad({builder_.Constant(i32_, 1)}, {0});
  ExpectInvalid("a catch clause is no pointer");
  BeginInvoke();
  AddPad({builder_.Null(ptr_)}, {1});
  ExpectInvalid("a filter clause is no array of constants");
  BeginInvoke();
  AddPad({builder_.Null(ptr_)}, {2});
  ExpectInvalid("a filter clause is no array of constants");
  BeginInvoke();
  AddPad({result_}, {0});
  ExpectInvalid("a clause is no constant");
  BeginInvoke();
  AddPad();
  builder_.last().is_cleanup = false;
  ExpectInvalid("a landing pad that is no cleanup and has no clauses");
}

TEST_F(LandingPadTest, ExceptionsHaveOneType) {
  BeginInvoke();
  AddPad();
  Add(Opcode::kResume, void_, {builder_.Undef(builder_.Struct({ptr_, i64_}))});
  EXPECT_THAT(Check(), StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("another type of exceptions than before")));
  Begin({});
  builder_.traits(0).personality = builder_.AddressOf(routine_);
  Add(Opcode::kResume, void_, {builder_.Undef(float_)});
  EXPECT_THAT(Check(),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("exceptions of such a type")));
}

TEST_F(LandingPadTest, ResultsOfInvokesAreNotThereWhenTheyUnwind) {
  BeginInvoke();
  AddPad();
  Add(Opcode::kAdd, i32_, {result_, result_});
  ExpectInvalid("an operand is not defined on every way to its use");
}

TEST_F(CheckTest, AddressesAreThoseOfBlocksThatSaySo) {
  Begin({});
  Add(Opcode::kBr, void_, {}, {1});
  builder_.BeginBlock();
  builder_.function().blocks[1].has_address_taken = true;
  builder_.BlockAddress(0, 1);
  ExpectValid();
  for (uint32_t block : {0, 2}) {
    Begin({});
    Add(Opcode::kBr, void_, {}, {1});
    builder_.BeginBlock();
    builder_.BlockAddress(0, block);
    ExpectInvalid("the address of a block that has none");
  }
  Begin({});
  Add(Opcode::kBr, void_, {}, {1});
  builder_.BeginBlock();
  builder_.BlockAddress(0, 1);
  ExpectInvalid("constant 1: the address of a block whose address is said not to be taken");
}

TEST_F(CheckTest, ACheckerIsReusedAfterAFault) {
  Begin({i1_, i32_});
  Add(Opcode::kBr, void_, {Argument(0)}, {1, 1});
  builder_.BeginBlock();
  Add(Opcode::kPhi, i64_, {Argument(1), Argument(1)}, {0, 0});
  ExpectInvalid("a value has another type than the phi");
  Begin({i1_, i32_});
  Add(Opcode::kBr, void_, {Argument(0)}, {1, 1});
  builder_.BeginBlock();
  Add(Opcode::kPhi, i32_, {Argument(1), Argument(1)}, {0, 0});
  ExpectValid();
}

}  // namespace
}  // namespace firstcall::ir
