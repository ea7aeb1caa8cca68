#include "base/byte_arena.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

std::string Bytes(size_t i) { return std::string(i * 37 % 5000, static_cast<char>('a' + i % 26)); }

TEST(ByteArenaTest, CopiesStayWhereTheyAre) {
  constexpr size_t kCopies = 2000;  // Several megabytes, so several blocks.
  ByteArena arena;
  std::vector<absl::string_view> copies;
  for (size_t i = 0; i < kCopies; ++i) copies.push_back(arena.Copy(Bytes(i)));
  const ByteArena moved = std::move(arena);
  for (size_t i = 0; i < kCopies; ++i) ASSERT_EQ(copies[i], Bytes(i)) << i;
}

TEST(ByteArenaTest, WhatIsLargerThanABlockHasItsOwn) {
  ByteArena arena;
  const std::string large(5 << 20, 'x');
  const absl::string_view before = arena.Copy("before");
  const absl::string_view copy = arena.Copy(large);
  const absl::string_view after = arena.Copy("after");
  EXPECT_EQ(before, "before");
  EXPECT_EQ(copy, large);
  EXPECT_EQ(after, "after");
  EXPECT_EQ(arena.Copy(""), "");
}

}  // namespace
}  // namespace firstcall
