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
  const OrcEnvironment other =
      OrcEnvironment::Parse(" --baseline=always  --debug-info=always ", errors);
  EXPECT_EQ(other.options.baseline, OrcBaseline::kAlways);
  EXPECT_TRUE(other.options.keeps_debug_information);
  const OrcEnvironment off = OrcEnvironment::Parse("--baseline=off", errors);
  EXPECT_EQ(off.options.baseline, OrcBaseline::kNever);
  EXPECT_THAT(errors, IsEmpty());
}

TEST(OrcEnvironmentTest, WhatIsNotUnderstoodIsLeftOut) {
  std::vector<std::string> errors;
  const OrcEnvironment read =
      OrcEnvironment::Parse("--baseline=maybe --baseline=always --tier=1", errors);
  EXPECT_EQ(read.options.baseline, OrcBaseline::kAlways);
  EXPECT_THAT(errors, ElementsAre(HasSubstr("'--baseline=maybe'"), HasSubstr("'--tier=1'")));
}

}  // namespace
}  // namespace firstcall
