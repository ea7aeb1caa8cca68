#include "clients/orc/environment.h"

#include <string>
#include <vector>

#include "clients/orc/orc_compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(OrcEnvironmentTest, OptionsAreRead) {
  std::vector<std::string> errors;
  const OrcEnvironment usual = OrcEnvironment::Parse("", errors);
  EXPECT_EQ(usual.options.baseline, OrcBaseline::kAtLevelNone);
  EXPECT_FALSE(usual.options.keeps_debug_information);
  EXPECT_FALSE(usual.is_lazy);
  EXPECT_FALSE(usual.checks_names);
  const OrcEnvironment other =
      OrcEnvironment::Parse(" --baseline=always  --debug-info=always ", errors);
  EXPECT_EQ(other.options.baseline, OrcBaseline::kAlways);
  EXPECT_TRUE(other.options.keeps_debug_information);
  const OrcEnvironment off = OrcEnvironment::Parse("--baseline=off", errors);
  EXPECT_EQ(off.options.baseline, OrcBaseline::kNever);
  const OrcEnvironment lazy = OrcEnvironment::Parse("--lazy=on --check-names=on --tier=0", errors);
  EXPECT_TRUE(lazy.is_lazy);
  EXPECT_TRUE(lazy.checks_names);
  EXPECT_EQ(lazy.engine.tier, Tier::kZero);
  EXPECT_THAT(errors, IsEmpty());
}

TEST(OrcEnvironmentTest, WhatIsNotUnderstoodIsLeftOut) {
  std::vector<std::string> errors;
  const OrcEnvironment read =
      OrcEnvironment::Parse("--baseline=maybe --baseline=always --tier=9", errors);
  EXPECT_EQ(read.options.baseline, OrcBaseline::kAlways);
  EXPECT_THAT(errors, ElementsAre(HasSubstr("'--baseline=maybe'"), HasSubstr("'--tier=9'")));
}

}  // namespace
}  // namespace firstcall
