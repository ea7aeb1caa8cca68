#include "tests/bitcode/alike_texts.h"

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace firstcall::testing {
namespace {

constexpr BitcodeOrigin kThis = BitcodeOrigin::kThisVersion;
constexpr BitcodeOrigin kOther = BitcodeOrigin::kOtherVersion;
constexpr BitcodeOrigin kDamaged = BitcodeOrigin::kDamaged;

TEST(AlikeTextsTest, EqualTextsAreAlike) {
  EXPECT_TRUE(AreAlike("a\nb\n", "a\nb\n", kThis));
  EXPECT_FALSE(AreAlike("a\nb\n", "a\nc\n", kDamaged));
  EXPECT_FALSE(AreAlike("a\nb\n", "a\n", kDamaged));
}

TEST(AlikeTextsTest, UndefinedElementsOfMasksAreAlike) {
  const absl::string_view expected = "  1: %2 = shufflevector %0, %1, { i32 0, i32 poison }";
  const absl::string_view found = "  1: %2 = shufflevector %0, %1, { i32 0, i32 undef }";
  EXPECT_TRUE(AreAlike(expected, found, kThis));
  EXPECT_FALSE(AreAlike("  1: ret i32 poison", "  1: ret i32 undef", kDamaged));
}

TEST(AlikeTextsTest, AttributesOfIntrinsicsDependOnTheVersion) {
  const absl::string_view expected = "@llvm.trap = function function(nounwind, memory)";
  const absl::string_view found = "@llvm.trap = function function(nounwind)";
  EXPECT_FALSE(AreAlike(expected, found, kThis));
  EXPECT_TRUE(AreAlike(expected, found, kOther));
  EXPECT_FALSE(AreAlike("@f = function function(nounwind)", "@f = function", kOther));
}

TEST(AlikeTextsTest, LlvmSimplifiesConstantsOfDamagedBitcode) {
  EXPECT_FALSE(AreAlike("initializer=i32 0", "initializer=i32 trunc(i64 0)", kOther));
  EXPECT_TRUE(AreAlike("initializer=i32 0", "initializer=i32 trunc(i64 0)", kDamaged));
  EXPECT_TRUE(AreAlike("<2 x i32> undef", "<2 x i32> { i32 undef, i32 undef }", kDamaged));
  EXPECT_FALSE(AreAlike("initializer=i32 0", "initializer=i32 1", kDamaged));
}

TEST(AlikeTextsTest, LlvmDropsExtensionsOfPointers) {
  const absl::string_view found = "@f = function ptr to void (ptr) parameter0(signext)";
  EXPECT_TRUE(AreAlike("@f = function ptr to void (ptr)", found, kDamaged));
  EXPECT_FALSE(AreAlike("@f = function ptr to void (i32)", found, kDamaged));
  EXPECT_FALSE(AreAlike("@f = function ptr to void (ptr)", found, kOther));
}

TEST(AlikeTextsTest, WhatIsLeftToLlvmIsAlikeInDamagedBitcode) {
  EXPECT_FALSE(AreAlike("load i32", "load unknown i32", kOther));
  EXPECT_TRUE(AreAlike("load i32", "load unknown i32", kDamaged));
  EXPECT_FALSE(AreAlike("load unknown i32", "load i32", kDamaged));
  EXPECT_TRUE(AreAlike("@g = variable ptr", "@g = variable debug ptr", kDamaged));
  EXPECT_FALSE(AreAlike("@g = variable debug ptr", "@g = variable ptr", kDamaged));
  EXPECT_TRUE(AreAlike("bb1: address_taken", "bb1:", kDamaged));
  EXPECT_FALSE(AreAlike("bb1: address_taken", "bb1:", kOther));
}

}  // namespace
}  // namespace firstcall::testing
