#include "backend/baseline/register_state.h"

#include "backend/baseline/registers.h"
#include "gtest/gtest.h"

namespace firstcall::baseline {
namespace {

constexpr Register kFirst = GeneralRegister(0), kSecond = GeneralRegister(1);
constexpr Register kOther = GeneralRegister(2);  // Not allocatable.
constexpr Register kVector = VectorRegister(0);

class RegisterStateTest : public testing::Test {
 protected:
  RegisterStateTest() { registers_.Begin(SetOf(kFirst) | SetOf(kSecond) | SetOf(kVector)); }

  RegisterState registers_;
};

TEST_F(RegisterStateTest, WhatIsAllocatableIsFreeAtFirst) {
  EXPECT_TRUE(registers_.IsAllocatable(kFirst));
  EXPECT_FALSE(registers_.IsAllocatable(kOther));
  EXPECT_EQ(registers_.Free(/*is_vector=*/false), SetOf(kFirst) | SetOf(kSecond));
  EXPECT_EQ(registers_.Free(/*is_vector=*/true), SetOf(kVector));
  EXPECT_TRUE(registers_.IsFree(kFirst));
  EXPECT_FALSE(registers_.IsFree(kOther));
}

TEST_F(RegisterStateTest, ARegisterThatHoldsAPartIsNotFree) {
  registers_.Own(kFirst, 7);
  EXPECT_TRUE(registers_.IsOwned(kFirst));
  EXPECT_EQ(registers_.OwnerOf(kFirst), 7u);
  EXPECT_EQ(registers_.owned(), SetOf(kFirst));
  EXPECT_EQ(registers_.Free(false), SetOf(kSecond));
  EXPECT_EQ(registers_.Unpinned(false), SetOf(kFirst) | SetOf(kSecond));
  registers_.Disown(kFirst);
  EXPECT_TRUE(registers_.IsFree(kFirst));
}

TEST_F(RegisterStateTest, ARegisterIsUnpinnedAsOftenAsItWasPinned) {
  registers_.Pin(kFirst);
  registers_.Pin(kFirst);
  registers_.Unpin(kFirst);
  EXPECT_EQ(registers_.Unpinned(false), SetOf(kSecond));
  EXPECT_FALSE(registers_.IsFree(kFirst));
  registers_.Unpin(kFirst);
  EXPECT_TRUE(registers_.IsFree(kFirst));
  registers_.Unpin(kFirst);
  registers_.Unpin(kNoRegister);
  registers_.Pin(kFirst);
  registers_.Unpin(kFirst);
  EXPECT_TRUE(registers_.IsFree(kFirst)) << "pins of before do not count";
}

TEST_F(RegisterStateTest, UnpinsOneRegisterOrAllWholly) {
  for (const Register reg : {kFirst, kFirst, kSecond, kSecond, kVector}) registers_.Pin(reg);
  registers_.UnpinWholly(kFirst);
  EXPECT_EQ(registers_.Unpinned(false), SetOf(kFirst));
  registers_.UnpinAll();
  EXPECT_EQ(registers_.Unpinned(false), SetOf(kFirst) | SetOf(kSecond));
  EXPECT_EQ(registers_.Unpinned(true), SetOf(kVector));
}

TEST_F(RegisterStateTest, KnowsWhichRegisterWasUsedLast) {
  registers_.Own(kFirst, 1);
  registers_.Own(kSecond, 2);
  EXPECT_TRUE(registers_.IsOlder(kFirst, kSecond));
  registers_.Touch(kFirst);
  EXPECT_TRUE(registers_.IsOlder(kSecond, kFirst));
}

TEST_F(RegisterStateTest, AFunctionBeginsWithoutPartsAndPins) {
  registers_.Own(kFirst, 1);
  registers_.Pin(kSecond);
  registers_.Begin(SetOf(kFirst) | SetOf(kSecond));
  EXPECT_EQ(registers_.owned(), 0u);
  EXPECT_EQ(registers_.Free(false), SetOf(kFirst) | SetOf(kSecond));
  EXPECT_EQ(registers_.Free(true), 0u);
}

}  // namespace
}  // namespace firstcall::baseline
