#include "clients/mcjit/taken_definitions.h"

#include <optional>

#include "base/ids.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TakenDefinitionsTest, TheLastDefinitionWins) {
  TakenDefinitions definitions;
  EXPECT_FALSE(definitions.Has("f"));
  definitions.EnterWhole({"f"});
  ASSERT_TRUE(definitions.Has("f"));
  EXPECT_EQ(definitions.Find("f")->lazy, std::nullopt);
  definitions.EnterLazy({"f", "g"}, ModuleId{3});
  EXPECT_EQ(definitions.Find("f")->lazy, ModuleId{3});
  EXPECT_EQ(definitions.Find("g")->lazy, ModuleId{3});
}

TEST(TakenDefinitionsTest, AddressesAreAskedForOnce) {
  TakenDefinitions definitions;
  definitions.EnterWhole({"f", "g"});
  definitions.EnterLazy({"h"}, ModuleId{0});
  EXPECT_THAT(definitions.TakeNamesWithoutAddress(), ElementsAre("f", "g"));
  EXPECT_THAT(definitions.TakeNamesWithoutAddress(), IsEmpty());
  definitions.SetAddress("f", 64);
  EXPECT_EQ(definitions.Find("f")->address, 64u);
  EXPECT_EQ(definitions.Find("g")->address, 0u);
}

TEST(TakenDefinitionsTest, AnAddressThatComesLateDoesNotReplaceALazyDefinition) {
  TakenDefinitions definitions;
  definitions.EnterWhole({"f"});
  definitions.EnterLazy({"f"}, ModuleId{1});
  definitions.SetAddress("f", 64);
  EXPECT_EQ(definitions.Find("f")->lazy, ModuleId{1});
  EXPECT_EQ(definitions.Find("f")->address, 0u);
}

TEST(TakenDefinitionsTest, FindsAThreadLocalVariableByItsControlVariable) {
  TakenDefinitions definitions;
  definitions.EnterLazy({"v"}, ModuleId{1});
  EXPECT_TRUE(definitions.Has("__emutls_v.v"));
  EXPECT_FALSE(definitions.Has("__emutls_v.w"));
}

}  // namespace
}  // namespace firstcall
