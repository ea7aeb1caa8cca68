#include "seam/assembly_labels.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

AssemblyLabels TwoLabels() {
  AssemblyLabels labels;
  labels.all = {{"one", SymbolOrdinal{1}}, {"two", SymbolOrdinal{2}}, {"one", SymbolOrdinal{3}}};
  return labels;
}

TEST(AssemblyLabelsTest, TheFirstDefinerCounts) {
  EXPECT_EQ(TwoLabels().DefinerOf("one"), SymbolOrdinal{1});
  EXPECT_EQ(TwoLabels().DefinerOf("two"), SymbolOrdinal{2});
  EXPECT_EQ(TwoLabels().DefinerOf("three"), std::nullopt);
}

TEST(AssemblyLabelsTest, AreTheSameAfterEncoding) {
  const std::optional<AssemblyLabels> decoded = AssemblyLabels::Decode(TwoLabels().Encode(), 4);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->all.size(), 3u);
  EXPECT_EQ(decoded->DefinerOf("two"), SymbolOrdinal{2});
}

TEST(AssemblyLabelsTest, DamagedBytesAreNone) {
  const std::string bytes = TwoLabels().Encode();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(AssemblyLabels::Decode(bytes.substr(0, size), 4)) << size;
  }
  EXPECT_FALSE(AssemblyLabels::Decode(bytes + "x", 4));
  EXPECT_FALSE(AssemblyLabels::Decode(bytes, 3));  // A label of a symbol that is not there.
}

}  // namespace
}  // namespace firstcall
