#include "splitter/symbol_name.h"

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(SymbolNameTest, TakesReferencesApart) {
  EXPECT_EQ(ParseReference("f").name, "f");
  EXPECT_EQ(ParseReference("f").kind, ReferenceKind::kPlain);
  EXPECT_EQ(ParseReference("f$fc.stub").name, "f");
  EXPECT_EQ(ParseReference("f$fc.stub").kind, ReferenceKind::kStub);
  EXPECT_EQ(ParseReference("f$7$fc.call").name, "f$7");
  EXPECT_EQ(ParseReference("f$7$fc.call").kind, ReferenceKind::kCall);
}

TEST(SymbolNameTest, LocalNamesCarryTheirOrdinal) {
  EXPECT_EQ(LocalSymbolName("f", SymbolOrdinal{12}), "f$12");
  EXPECT_EQ(LocalSymbolName("", SymbolOrdinal{0}), "$0");
}

TEST(SymbolNameTest, ManglingMarkIsLeftOut) {
  EXPECT_EQ(WithoutManglingMark("\1_start"), "_start");
  EXPECT_EQ(WithoutManglingMark("main"), "main");
}

}  // namespace
}  // namespace firstcall
