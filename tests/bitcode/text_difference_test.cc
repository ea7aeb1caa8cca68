#include "tests/bitcode/text_difference.h"

#include "gtest/gtest.h"

namespace firstcall::testing {
namespace {

TEST(FirstDifferenceTest, ShowsTheLineBefore) {
  EXPECT_EQ(FirstDifference("a\nb\nc", "a\nb\nd"), "  b\n- c\n+ d");
  EXPECT_EQ(FirstDifference("a", "b"), "- a\n+ b");
  EXPECT_EQ(FirstDifference("a\nb", "a"), "  a\n- b\n+ (end)");
  EXPECT_EQ(FirstDifference("a", "a"), "");
}

TEST(FirstDifferenceTest, PrefersLinesThatDifferInMoreThanUses) {
  EXPECT_EQ(FirstDifference("a ; 1 use\nb\nc", "a ; 2 uses\nb\nd"), "  b\n- c\n+ d");
  EXPECT_EQ(FirstDifference("a ; 1 use\nb", "a ; 2 uses\nb"), "- a ; 1 use\n+ a ; 2 uses");
}

TEST(WithoutNamesTest, ReplacesNamesAndNumbers) {
  EXPECT_EQ(WithoutNames("reading function 'f1': record 123 of 'x'"),
            "reading function '…': record # of '…'");
  EXPECT_EQ(WithoutNames("isn't 5"), "isn't #");
}

}  // namespace
}  // namespace firstcall::testing
