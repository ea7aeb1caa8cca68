#include "runtime/link/cached_object.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

CachedObject Example() {
  CachedObject description;
  description.functions = {SymbolOrdinal{4}, SymbolOrdinal{2}};
  description.joined = 1;
  description.variables = {SymbolOrdinal{0}};
  description.hotness_signs = {HotnessSigns::kCallsOnly, HotnessSigns::kNone};
  description.labels = {"one", "two"};
  description.decisions = {{SymbolOrdinal{1}, true}, {SymbolOrdinal{3}, false}};
  return description;
}

TEST(CachedObjectTest, ComesBackAsItWas) {
  const std::string bytes = EncodeCachedObject(Example(), "the object");
  EXPECT_EQ(bytes.substr(0, 10), "the object");
  std::optional<CachedObject> decoded = DecodeCachedObject(bytes, 5);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->object, "the object");
  EXPECT_THAT(decoded->functions, ElementsAre(SymbolOrdinal{4}, SymbolOrdinal{2}));
  EXPECT_EQ(decoded->joined, 1u);
  EXPECT_THAT(decoded->variables, ElementsAre(SymbolOrdinal{0}));
  EXPECT_THAT(decoded->hotness_signs, ElementsAre(HotnessSigns::kCallsOnly, HotnessSigns::kNone));
  EXPECT_THAT(decoded->decisions,
              ElementsAre(Pair(SymbolOrdinal{1}, true), Pair(SymbolOrdinal{3}, false)));
  EXPECT_THAT(decoded->labels, ElementsAre("one", "two"));
  EXPECT_FALSE(decoded->leader.has_value());
  EXPECT_FALSE(decoded->host.has_value());
}

TEST(CachedObjectTest, LeadsToAnotherFunction) {
  CachedObject leader, host;
  leader.leader = SymbolOrdinal{3};
  host.host = SymbolOrdinal{2};
  EXPECT_EQ(DecodeCachedObject(EncodeCachedObject(leader, ""), 5)->leader, SymbolOrdinal{3});
  EXPECT_EQ(DecodeCachedObject(EncodeCachedObject(host, ""), 5)->host, SymbolOrdinal{2});
}

TEST(CachedObjectTest, SymbolsThatTheModuleDoesNotHaveAreRefused) {
  const std::string bytes = EncodeCachedObject(Example(), "the object");
  EXPECT_TRUE(DecodeCachedObject(bytes, 5).has_value());
  EXPECT_FALSE(DecodeCachedObject(bytes, 4).has_value());
}

TEST(CachedObjectTest, SignsOfHotnessAreOfEachFunctionAndKnown) {
  CachedObject description = Example();
  description.hotness_signs.pop_back();
  EXPECT_FALSE(DecodeCachedObject(EncodeCachedObject(description, ""), 5).has_value());
  description.hotness_signs.push_back(static_cast<HotnessSigns>(3));
  EXPECT_FALSE(DecodeCachedObject(EncodeCachedObject(description, ""), 5).has_value());
}

TEST(CachedObjectTest, OtherBytesAreRefused) {
  const std::string bytes = EncodeCachedObject(Example(), "");
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeCachedObject(bytes.substr(0, size), 5).has_value()) << size;
    EXPECT_FALSE(DecodeCachedObject(bytes.substr(size + 1), 5).has_value()) << size;
  }
  EXPECT_FALSE(DecodeCachedObject("\177ELF and so on", 5).has_value());
}

TEST(CachedObjectTest, DecisionsAreAskedAgain) {
  const Decisions decisions = {{SymbolOrdinal{1}, true}, {SymbolOrdinal{3}, false}};
  EXPECT_TRUE(AreStillTrue(decisions, [](SymbolOrdinal o) { return o.value == 1; }));
  EXPECT_FALSE(AreStillTrue(decisions, [](SymbolOrdinal) { return true; }));
  EXPECT_FALSE(AreStillTrue(decisions, [](SymbolOrdinal) { return false; }));
}

TEST(CachedObjectTest, RecorderKeepsEachAnswerOnce) {
  const auto is_odd = [](SymbolOrdinal ordinal) { return ordinal.value % 2 != 0; };
  DecisionRecorder recorder(is_odd);
  EXPECT_TRUE(recorder.Ask(SymbolOrdinal{7}));
  EXPECT_FALSE(recorder.Ask(SymbolOrdinal{2}));
  EXPECT_TRUE(recorder.Ask(SymbolOrdinal{7}));
  EXPECT_THAT(std::move(recorder).Take(),
              ElementsAre(Pair(SymbolOrdinal{2}, false), Pair(SymbolOrdinal{7}, true)));
}

}  // namespace
}  // namespace firstcall
