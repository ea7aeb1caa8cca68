#include "clients/orc/engine_settings.h"

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(EngineSettingsTest, OptionsAreReadAndApplied) {
  EngineSettings settings;
  EXPECT_TRUE(settings.Read("--tier", "0"));
  EXPECT_TRUE(settings.Read("--compile-threads", "2"));
  EXPECT_TRUE(settings.Read("--promotion-threads", "0"));
  EXPECT_TRUE(settings.Read("--promotion-threshold", "7"));
  EngineOptions options;
  settings.ApplyTo(options);
  EXPECT_EQ(options.tier, Tier::kZero);
  EXPECT_EQ(options.compile_threads, 2u);
  EXPECT_EQ(options.promotion.threads, 0u);
  EXPECT_EQ(options.promotion.threshold, 7u);
}

TEST(EngineSettingsTest, OtherValuesChangeNothing) {
  EngineSettings settings;
  EXPECT_FALSE(settings.Read("--tier", "7"));
  EXPECT_FALSE(settings.Read("--tiers", "0"));
  EXPECT_FALSE(settings.Read("--promotion-threshold", "0"));
  EXPECT_FALSE(settings.Read("--compile-threads", "many"));
  EXPECT_EQ(settings.tier, Tier::kAuto);
  EXPECT_EQ(settings.compile_threads, 0u);
  EXPECT_EQ(settings.promotion.threshold, PromotionOptions().threshold);
}

TEST(EngineSettingsTest, SwitchesHaveTwoValues) {
  bool is_on = false;
  EXPECT_TRUE(ReadSwitch("on", "on", "off", is_on));
  EXPECT_TRUE(is_on);
  EXPECT_FALSE(ReadSwitch("maybe", "on", "off", is_on));
  EXPECT_TRUE(is_on);
  EXPECT_TRUE(ReadSwitch("off", "on", "off", is_on));
  EXPECT_FALSE(is_on);
}

}  // namespace
}  // namespace firstcall
