#include "object/symbol_name.h"

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(SymbolNameTest, TakesReferencesApart) {
  EXPECT_EQ(ParseReference("f").name, "f");
  EXPECT_EQ(ParseReference("f").kind, ReferenceKind::kPlain);
  EXPECT_EQ(ParseReference("f$fc.stub").name, "f");
  EXPECT_EQ(ParseReference("f$fc.stub").kind, ReferenceKind::kStub);
  EXPECT_EQ(ParseReference("f$fc.table").name, "f");
  EXPECT_EQ(ParseReference("f$fc.table").kind, ReferenceKind::kTable);
  EXPECT_EQ(ParseReference("f$7$fc.call").name, "f$7");
  EXPECT_EQ(ParseReference("f$7$fc.call").kind, ReferenceKind::kCall);
}

TEST(SymbolNameTest, LocalNamesCarryTheirOrdinal) {
  EXPECT_EQ(LocalSymbolName("f", SymbolOrdinal{12}), "f$12");
  EXPECT_EQ(LocalSymbolName("", SymbolOrdinal{0}), "$0");
}

TEST(SymbolNameTest, MachoNamesLoseOneUnderscore) {
  EXPECT_EQ(WithoutMachoPrefix("_f"), "f");
  EXPECT_EQ(WithoutMachoPrefix("__f"), "_f");
  EXPECT_EQ(WithoutMachoPrefix("f"), "f");
  EXPECT_EQ(WithoutMachoPrefix("_"), "_");
}

TEST(SymbolNameTest, SectionsWithBoundsAreCIdentifiers) {
  EXPECT_TRUE(IsIdentifier("registry_2"));
  EXPECT_FALSE(IsIdentifier("2registry"));
  EXPECT_FALSE(IsIdentifier(".data"));
  EXPECT_FALSE(IsIdentifier(""));
}

TEST(SymbolNameTest, OrdinalsAreForObjectsOnly) {
  EXPECT_EQ(WithoutOrdinal(LocalSymbolName("f", SymbolOrdinal{12})), "f");
  EXPECT_EQ(WithoutOrdinal(LocalSymbolName("_ZZ4mainENK3$_0clEi", SymbolOrdinal{2})),
            "_ZZ4mainENK3$_0clEi");
  for (const char* name : {"f", "f1", "f$", "f$x1", "$1", "$", "1", "", "main$fc.loop"}) {
    EXPECT_EQ(WithoutOrdinal(name), name);
  }
}

}  // namespace
}  // namespace firstcall
