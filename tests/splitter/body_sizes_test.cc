#include "splitter/body_sizes.h"

#include "base/ids.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr BodyLimits kLimits = {/*as_read=*/100, /*simplified=*/10};
constexpr SymbolOrdinal kFunction{3};

TEST(BodySizesTest, WhatIsNotKnownMayBeSmall) {
  BodySizes sizes;
  EXPECT_TRUE(sizes.MayBeWithin(kLimits, kFunction));
  sizes.NoteAsRead(SymbolOrdinal{4}, 101);
  EXPECT_TRUE(sizes.MayBeWithin(kLimits, kFunction));
  sizes.NoteAsRead(kFunction, 100);
  EXPECT_TRUE(sizes.MayBeWithin(kLimits, kFunction));
}

TEST(BodySizesTest, EitherSizeMayBeTooLarge) {
  BodySizes sizes;
  sizes.NoteAsRead(kFunction, 101);
  EXPECT_FALSE(sizes.MayBeWithin(kLimits, kFunction));
  sizes.NoteAsRead(kFunction, 50);
  sizes.NoteSimplified(kFunction, 10);
  EXPECT_TRUE(sizes.MayBeWithin(kLimits, kFunction));
  sizes.NoteSimplified(kFunction, 11);
  EXPECT_FALSE(sizes.MayBeWithin(kLimits, kFunction));
}

}  // namespace
}  // namespace firstcall
