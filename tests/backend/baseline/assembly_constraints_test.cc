#include "backend/baseline/assembly_constraints.h"

#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall::baseline {
namespace {

using Kind = AssemblyConstraint::Kind;

TEST(AssemblyConstraintsTest, OutputsInputsAndClobbers) {
  const std::optional<AssemblyConstraints> constraints =
      ParseConstraints("=&r,={ax},=*m,0,imr,{cx},*m,~{memory},~{rbx}");
  ASSERT_TRUE(constraints.has_value());
  ASSERT_EQ(constraints->size(), 9u);
  const auto& all = *constraints;
  EXPECT_TRUE(all[0].is_output() && !all[0].has_argument());
  EXPECT_EQ(all[0].letters, "r");
  EXPECT_TRUE(all[1].is_output());
  EXPECT_EQ(all[1].name, "ax");
  EXPECT_EQ(all[1].letters, "");
  EXPECT_TRUE(all[2].is_output() && all[2].is_indirect && all[2].has_argument());
  EXPECT_EQ(all[3].tied_to, 0u);
  EXPECT_TRUE(all[3].has_argument());
  EXPECT_EQ(all[4].letters, "imr");
  EXPECT_EQ(all[4].tied_to, AssemblyConstraint::kUntied);
  EXPECT_EQ(all[5].name, "cx");
  EXPECT_TRUE(all[6].kind == Kind::kInput && all[6].is_indirect);
  EXPECT_TRUE(all[7].kind == Kind::kClobber && !all[7].has_argument());
  EXPECT_EQ(all[7].name, "memory");
  EXPECT_EQ(all[8].name, "rbx");
}

TEST(AssemblyConstraintsTest, NumbersOrRegisters) {
  for (const char* text : {"J{cx}", "{cx}J"}) {
    const std::optional<AssemblyConstraints> constraints = ParseConstraints(text);
    ASSERT_TRUE(constraints.has_value()) << text;
    EXPECT_EQ(constraints->front().name, "cx");
    EXPECT_EQ(constraints->front().letters, "J");
  }
}

TEST(AssemblyConstraintsTest, None) {
  const std::optional<AssemblyConstraints> constraints = ParseConstraints("");
  ASSERT_TRUE(constraints.has_value());
  EXPECT_TRUE(constraints->empty());
}

TEST(AssemblyConstraintsTest, WhatIsNotValid) {
  for (const char* text :
       {",", "=", "r,=r", "~{memory},r", "0", "=r,1", "=0", "=r,0|m", "{", "{}", "{ax", "J{cx}K",
        "=J{cx}", "~memory", "~{}", "!i", "=r,99999999999", "*", "%"}) {
    EXPECT_FALSE(ParseConstraints(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace firstcall::baseline
