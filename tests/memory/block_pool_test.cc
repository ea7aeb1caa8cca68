#include "memory/block_pool.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(BlockPoolTest, BlocksAreAlignedAndApart) {
  BlockPool pool;
  std::vector<std::pair<char*, size_t>> blocks;
  for (const size_t size : {1, 32, 33, 2048, 2049, 65536, 1000000}) {
    for (const size_t alignment : {1, 16, 64, 4096, 131072}) {
      auto* const block = static_cast<char*>(pool.Allocate(size, alignment));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u) << size << " " << alignment;
      std::memset(block, static_cast<int>(blocks.size()), size);
      blocks.push_back({block, size});
    }
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, size] = blocks[i];
    EXPECT_EQ(block[0], static_cast<char>(i));
    EXPECT_EQ(block[size - 1], static_cast<char>(i));
  }
}

TEST(BlockPoolTest, FreedBlocksAreUsedAgain) {
  BlockPool pool;
  size_t bytes = 0;
  for (int round = 0; round < 10; ++round) {
    std::vector<void*> small, large;
    for (int i = 0; i < 100; ++i) {
      small.push_back(pool.Allocate(100, 8));
      large.push_back(pool.Allocate(100000, 64));
    }
    if (round == 0) bytes = pool.bytes();
    EXPECT_EQ(pool.bytes(), bytes);
    for (void* block : small) pool.Free(block, 100, 8);
    for (void* block : large) pool.Free(block, 100000, 64);
  }
  EXPECT_LT(pool.bytes(), size_t{1} << 17);  // Large blocks are given back.
}

TEST(BlockPoolTest, PagesAreZero) {
  BlockPool pool;
  auto* const pages = static_cast<char*>(pool.AllocatePages(100000));
  ASSERT_NE(pages, nullptr);
  for (size_t i = 0; i < 100000; i += 100) EXPECT_EQ(pages[i], 0);
  pool.FreePages(pages, 100000);
  EXPECT_EQ(pool.bytes(), 0u);
}

TEST(BlockPoolTest, TooMuchIsNull) {
  BlockPool pool;
  EXPECT_EQ(pool.Allocate(SIZE_MAX - 100, 8), nullptr);
  EXPECT_EQ(pool.Allocate(SIZE_MAX / 4, 8), nullptr);
}

}  // namespace
}  // namespace firstcall
