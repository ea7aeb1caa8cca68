#include "clients/mcjit/environment.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(EnvironmentTest, ReadsOptions) {
  std::vector<std::string> errors;
  const Environment environment = Environment::Parse(
      " --tier=0 -O3  --baseline=off --compile-threads=2 --promotion-threads=0 "
      "--debug-info=never",
      errors);
  EXPECT_THAT(errors, testing::IsEmpty());
  EXPECT_EQ(environment.debug_info, DebugInfo::kNever);
  EXPECT_TRUE(environment.is_lazy);
  EXPECT_EQ(environment.engine.tier, Tier::kZero);
  EXPECT_EQ(environment.codegen_level, CodegenLevel::kO3);
  EXPECT_EQ(environment.baseline, Baseline::kOff);
  EXPECT_EQ(environment.engine.compile_threads, 2);
  EXPECT_EQ(environment.engine.promotion.threads, 0);
}

// A client's listeners, which may come at any time, may read it.
TEST(EnvironmentTest, KeepsDebugInformationUnlessToldOtherwise) {
  std::vector<std::string> errors;
  EXPECT_EQ(Environment::Parse("", errors).debug_info, DebugInfo::kAlways);
  EXPECT_EQ(Environment::Parse("--debug-info=auto", errors).debug_info, DebugInfo::kAuto);
  EXPECT_THAT(errors, testing::IsEmpty());
}

TEST(EnvironmentTest, TurnsLazinessOff) {
  std::vector<std::string> errors;
  EXPECT_FALSE(Environment::Parse("--mode=mcjit", errors).is_lazy);
}

TEST(EnvironmentTest, LeavesOutWhatItDoesNotUnderstand) {
  std::vector<std::string> errors;
  const Environment environment =
      Environment::Parse("--tier=7 --tiers=0 -O9 --promotion-threshold=0 -O1", errors);
  EXPECT_THAT(errors,
              testing::ElementsAre(testing::HasSubstr("'--tier=7'"),
                                   testing::HasSubstr("'--tiers=0'"), testing::HasSubstr("'-O9'"),
                                   testing::HasSubstr("'--promotion-threshold=0'")));
  EXPECT_EQ(environment.engine.tier, Tier::kAuto);
  EXPECT_EQ(environment.codegen_level, CodegenLevel::kO1);
}

}  // namespace
}  // namespace firstcall
