#include "services/server/known_modules.h"

#include <fcntl.h>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

File SomeFile() { return File(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(KnownModulesTest, KeepsTheLastPackOfAKey) {
  KnownModules known(100, 10);
  EXPECT_EQ(known.Find("a"), nullptr);
  const uint64_t first = known.Keep("a", SomeFile(), 10);
  const uint64_t second = known.Keep("a", SomeFile(), 20);
  EXPECT_NE(first, 0u);
  EXPECT_NE(first, second);
  ASSERT_NE(known.Find("a"), nullptr);
  EXPECT_EQ(known.Find("a")->number, second);
  EXPECT_EQ(known.Find("a")->size, 20u);
  EXPECT_TRUE(known.Find("a")->file.is_open());
  EXPECT_EQ(known.bytes(), 20u);
  EXPECT_EQ(known.count(), 1u);
}

TEST(KnownModulesTest, DropsWhatWasNotUsedForLongest) {
  KnownModules known(100, 10);
  known.Keep("a", SomeFile(), 40);
  known.Keep("b", SomeFile(), 40);
  EXPECT_NE(known.Find("a"), nullptr);
  known.Keep("c", SomeFile(), 40);
  EXPECT_TRUE(known.Has("a"));
  EXPECT_FALSE(known.Has("b"));
  EXPECT_TRUE(known.Has("c"));
  EXPECT_EQ(known.bytes(), 80u);
}

TEST(KnownModulesTest, KeepsNoMoreThanAreAllowed) {
  KnownModules known(100, 2);
  for (const char* key : {"a", "b", "c"}) known.Keep(key, SomeFile(), 1);
  EXPECT_EQ(known.count(), 2u);
  EXPECT_FALSE(known.Has("a"));
}

TEST(KnownModulesTest, APackLeavesRoomForOthers) {
  const KnownModules known(100, 2);
  EXPECT_TRUE(known.HasRoomFor(50));
  EXPECT_FALSE(known.HasRoomFor(51));
  EXPECT_FALSE(known.HasRoomFor(UINT64_MAX));
}

}  // namespace
}  // namespace firstcall
