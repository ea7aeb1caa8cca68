#include "backend/baseline/register_fixer.h"

#include <cstdint>
#include <vector>

#include "backend/baseline/architecture.h"
#include "backend/baseline/registers.h"
#include "backend/baseline/value_facts.h"
#include "gtest/gtest.h"

namespace firstcall::baseline {
namespace {

constexpr uint32_t kHeavy = 100;

class RegisterFixerTest : public testing::Test {
 protected:
  // A value of one part that lives from the first to the last block.
  void Add(uint32_t first_block, uint32_t last_block, uint32_t weight = kHeavy,
           bool is_vector = false) {
    ValuePart& value = values_.emplace_back();
    value.first_block = first_block;
    value.last_block = last_block;
    value.is_vector = is_vector;
    value.bytes = 8;
    weights_.push_back(weight);
  }
  RegisterSet Fix(RegisterSet reserved = 0) {
    return fixer_.Fix(values_, weights_, facts_, reserved);
  }

  const Architecture& architecture_ = ArchitectureX86_64();
  RegisterFixer fixer_{architecture_};
  std::vector<ValuePart> values_;
  std::vector<uint32_t> weights_;
  std::vector<BlockFacts> facts_{10};
};

TEST_F(RegisterFixerTest, OnlyValuesOfSeveralBlocksAndPhisGetARegister) {
  Add(0, 1);
  Add(2, 2);
  Add(3, 3);
  values_[2].is_phi = true;
  EXPECT_NE(Fix(), 0u);
  EXPECT_TRUE(values_[0].is_fixed);
  EXPECT_FALSE(values_[1].is_fixed);
  EXPECT_TRUE(values_[2].is_fixed);
}

TEST_F(RegisterFixerTest, ValuesWithFewUsesGetNone) {
  Add(0, 1, /*weight=*/3);
  EXPECT_EQ(Fix(), 0u);
  EXPECT_FALSE(values_[0].is_fixed);
}

TEST_F(RegisterFixerTest, ValuesThatLiveAtTheSameTimeGetDifferentRegisters) {
  Add(0, 4);
  Add(2, 6);
  Add(5, 9);
  const RegisterSet fixed = Fix();
  EXPECT_EQ(fixed, SetOf(values_[0].reg) | SetOf(values_[1].reg));
  EXPECT_NE(values_[0].reg, values_[1].reg);
  EXPECT_EQ(values_[2].reg, values_[0].reg);
}

TEST_F(RegisterFixerTest, AValueThatLivesAcrossACallGetsACalleeSavedRegister) {
  facts_[1].has_call = true;
  Add(0, 2);
  Add(2, 3);
  Fix();
  ASSERT_TRUE(values_[0].is_fixed);
  EXPECT_NE(architecture_.registers.callee_saved & SetOf(values_[0].reg), 0u);
  ASSERT_TRUE(values_[1].is_fixed);
  EXPECT_EQ(values_[1].reg, architecture_.registers.between_calls.front());
}

TEST_F(RegisterFixerTest, TheHeaviestValuesComeFirst) {
  constexpr uint32_t kMany = 40;  // More than there are registers.
  for (uint32_t i = 0; i < kMany; ++i) Add(0, 9, kHeavy + i);
  Fix();
  EXPECT_FALSE(values_.front().is_fixed);
  EXPECT_TRUE(values_.back().is_fixed);
}

TEST_F(RegisterFixerTest, ReservedRegistersAreLeftOut) {
  const Register first = architecture_.registers.between_calls.front();
  Add(0, 1);
  EXPECT_EQ(Fix(SetOf(first)) & SetOf(first), 0u);
  EXPECT_TRUE(values_[0].is_fixed);
  EXPECT_NE(values_[0].reg, first);
}

TEST_F(RegisterFixerTest, KindsOfRegistersAreNotMixedUp) {
  Add(0, 1, kHeavy, /*is_vector=*/true);
  Add(0, 1, kHeavy, /*is_vector=*/false);
  Fix();
  for (const ValuePart& value : values_) {
    ASSERT_TRUE(value.is_fixed);
    EXPECT_EQ(IsVector(value.reg), value.is_vector);
  }
}

TEST_F(RegisterFixerTest, EachFunctionBeginsAnew) {
  Add(0, 1);
  Fix();
  const Register reg = values_[0].reg;
  values_.clear();
  weights_.clear();
  Add(0, 1);
  Fix();
  EXPECT_EQ(values_[0].reg, reg);
}

}  // namespace
}  // namespace firstcall::baseline
