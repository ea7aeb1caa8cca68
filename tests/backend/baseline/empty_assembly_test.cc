#include "backend/baseline/empty_assembly.h"

#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/operand.h"

namespace firstcall::baseline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kUndefined = ir::kNone;

TEST(EmptyAssemblyTest, ABarrierDoesNothing) {
  for (const char* constraints : {"", "~{memory}", "~{memory},~{dirflag},~{flags}"}) {
    const std::optional<EmptyAssembly> assembly = ReadConstraints(constraints);
    ASSERT_TRUE(assembly.has_value()) << constraints;
    EXPECT_THAT(assembly->results, IsEmpty());
    EXPECT_EQ(assembly->arguments, 0u);
  }
}

TEST(EmptyAssemblyTest, TiedInputsAreResults) {
  EXPECT_THAT(ReadConstraints("=r,0")->results, ElementsAre(0));
  EXPECT_THAT(ReadConstraints("=&r,=x,r,1,0")->results, ElementsAre(2, 1));
  EXPECT_THAT(ReadConstraints("={ax},0,~{flags}")->results, ElementsAre(0));
  EXPECT_THAT(ReadConstraints("=r,={bx},{bx}")->results, ElementsAre(kUndefined, 0));
  EXPECT_EQ(ReadConstraints("=&r,=x,r,1,0")->arguments, 3u);
}

TEST(EmptyAssemblyTest, OtherOutputsAreUndefined) {
  EXPECT_THAT(ReadConstraints("=r,=r,r,0")->results, ElementsAre(1, kUndefined));
}

TEST(EmptyAssemblyTest, ATiedValueIsStoredInMemory) {
  const std::optional<EmptyAssembly> assembly = ReadConstraints("=r,=*r|m,=*m,1,0,*2");
  ASSERT_TRUE(assembly.has_value());
  EXPECT_THAT(assembly->results, ElementsAre(3));
  ASSERT_EQ(assembly->stores.size(), 1u);
  EXPECT_EQ(assembly->stores[0].address, 0u);
  EXPECT_EQ(assembly->stores[0].value, 2u);
  EXPECT_EQ(assembly->arguments, 5u);
}

TEST(EmptyAssemblyTest, WhatIsInARegisterIsNotCovered) {
  EXPECT_FALSE(ReadConstraints("={rsp}").has_value());
  EXPECT_FALSE(ReadConstraints("={rsp},{rbx}").has_value());
  EXPECT_FALSE(ReadConstraints("=*{rsp}").has_value());
}

TEST(EmptyAssemblyTest, OtherConstraintsAreNotCovered) {
  for (const char* constraints :
       {"r,!i", "=r,1", "=r,0,0", "=r,99999999999", "r,=r", ",", "=", "*", "=r,*0", "=r,0|m"}) {
    EXPECT_FALSE(ReadConstraints(constraints).has_value()) << constraints;
  }
}

}  // namespace
}  // namespace firstcall::baseline
