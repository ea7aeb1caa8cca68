#include "ir/function.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "ir/module.h"

namespace firstcall::ir {
namespace {

// Builds a body of instructions whose types do not matter.
class FunctionTest : public ::testing::Test {
 protected:
  FunctionTest() {
    module_.AddGlobal(NewGlobal());
    function_.Clear(module_, 0);
  }

  void BeginBlock() {
    function_.blocks.emplace_back().first_instruction =
        static_cast<uint32_t>(function_.instructions.size());
  }

  // Returns the result.
  Operand Add(Opcode opcode, const std::vector<Operand>& operands) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.value = static_cast<uint32_t>(function_.values.size());
    instruction.first_operand = static_cast<uint32_t>(function_.operands.size());
    instruction.operand_count = static_cast<uint32_t>(operands.size());
    function_.operands.insert(function_.operands.end(), operands.begin(), operands.end());
    function_.values.emplace_back().instruction =
        static_cast<uint32_t>(function_.instructions.size());
    function_.instructions.push_back(instruction);
    ++function_.blocks.back().instruction_count;
    return Operand::Value(instruction.value);
  }

  void ExpectUses(Operand value, uint32_t uses, uint32_t first, uint32_t last) const {
    const Value& actual = function_.values[value.number()];
    EXPECT_EQ(actual.uses, uses) << value.number();
    EXPECT_EQ(actual.first_user, first) << value.number();
    EXPECT_EQ(actual.last_user, last) << value.number();
  }

  Module module_;
  Function function_;
};

TEST_F(FunctionTest, CountsUses) {
  function_.AddArgument(nullptr);
  function_.AddArgument(nullptr);
  function_.AddArgument(nullptr);
  EXPECT_EQ(function_.argument_count(), 3u);
  const Operand a = Operand::Value(0), b = Operand::Value(1), unused = Operand::Value(2);
  BeginBlock();
  const Operand sum = Add(Opcode::kAdd, {a, a});
  const Operand product = Add(Opcode::kMul, {sum, Operand::Constant(0)});
  BeginBlock();
  const Operand phi = Add(Opcode::kPhi, {product, Operand::Value(7)});
  const Operand call = Add(Opcode::kCall, {a, phi, b});  // `b` is what is called.
  const Operand loop = Add(Opcode::kAdd, {phi, sum});
  function_.CountUses();
  ExpectUses(a, 3, 0, 3);
  ExpectUses(b, 1, 3, 3);
  ExpectUses(unused, 0, kNone, kNone);
  ExpectUses(sum, 2, 1, 4);
  ExpectUses(product, 1, 2, 2);
  ExpectUses(phi, 2, 3, 4);
  ExpectUses(call, 0, kNone, kNone);
  ASSERT_EQ(loop, Operand::Value(7));
  ExpectUses(loop, 1, 2, 2);
  EXPECT_TRUE(function_.HasOneUse(loop.number()));
  EXPECT_FALSE(function_.HasOneUse(phi.number()));
}

TEST_F(FunctionTest, ClearLeavesNothing) {
  function_.AddArgument(nullptr);
  BeginBlock();
  Add(Opcode::kFreeze, {Operand::Value(0)});
  function_.constants.emplace_back();
  function_.targets.push_back(0);
  function_.calls.emplace_back();
  function_.operand_lists.emplace_back();
  function_.word_lists.emplace_back();
  function_.data.emplace_back();
  function_.has_debug_information = function_.has_unknown = true;
  module_.AddGlobal(NewGlobal());
  function_.Clear(module_, 1);
  EXPECT_EQ(&function_.module(), &module_);
  EXPECT_EQ(function_.global_number(), 1u);
  EXPECT_EQ(function_.argument_count(), 0u);
  EXPECT_TRUE(function_.values.empty());
  EXPECT_TRUE(function_.constants.empty());
  EXPECT_TRUE(function_.blocks.empty());
  EXPECT_TRUE(function_.instructions.empty());
  EXPECT_TRUE(function_.operands.empty());
  EXPECT_TRUE(function_.targets.empty());
  EXPECT_TRUE(function_.calls.empty());
  EXPECT_TRUE(function_.operand_lists.empty());
  EXPECT_TRUE(function_.word_lists.empty());
  EXPECT_TRUE(function_.data.empty());
  EXPECT_FALSE(function_.has_debug_information);
  EXPECT_FALSE(function_.has_unknown);
}

}  // namespace
}  // namespace firstcall::ir
