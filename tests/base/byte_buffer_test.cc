#include "base/byte_buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

ByteBuffer BufferOf(absl::string_view bytes) {
  ByteBuffer buffer = ByteBuffer::Uninitialized(bytes.size());
  std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return buffer;
}

TEST(ByteBufferTest, AStringIsABuffer) {
  ByteBuffer buffer(std::string("bytes"));
  EXPECT_EQ(absl::string_view(buffer), "bytes");
  buffer.data()[0] = 'B';
  buffer.Truncate(3);
  const ByteBuffer moved = std::move(buffer);
  EXPECT_EQ(absl::string_view(moved), "Byt");
  EXPECT_TRUE(ByteBuffer().empty());
}

TEST(ByteBufferTest, SoIsMemory) {
  ByteBuffer buffer = BufferOf("bytes");
  EXPECT_EQ(absl::string_view(buffer), "bytes");
  EXPECT_EQ(std::string(buffer), "bytes");
  buffer.Truncate(2);
  EXPECT_EQ(std::string(buffer.begin(), buffer.end()), "by");
  EXPECT_TRUE(ByteBuffer::Uninitialized(0).empty());
}

// All sizes around those from which memory is mapped, in pages of whatever size.
TEST(ByteBufferTest, SoIsMuchMemory) {
  constexpr size_t kSizes[] = {(512 << 10) - 1, 512 << 10, (2 << 20) - 1, 2 << 20, (2 << 20) + 1};
  std::vector<ByteBuffer> buffers;
  for (size_t size : kSizes) {
    buffers.push_back(ByteBuffer::Uninitialized(size));
    std::fill_n(buffers.back().data(), size, static_cast<char>('a' + buffers.size()));
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    const std::string expected(kSizes[i], static_cast<char>('b' + i));
    EXPECT_TRUE(buffers[i] == expected);
    EXPECT_TRUE(ByteBuffer(buffers[i]) == expected);
    buffers[i].Truncate(7);
    EXPECT_EQ(absl::string_view(buffers[i]), expected.substr(0, 7));
    buffers[i] = ByteBuffer("small");
  }
}

TEST(ByteBufferTest, ACopyIsIndependent) {
  ByteBuffer buffer = BufferOf("bytes");
  ByteBuffer copy = buffer;
  EXPECT_TRUE(copy == buffer);
  copy.data()[1] = 'Y';
  EXPECT_FALSE(copy == buffer);
  buffer = std::move(copy);
  EXPECT_EQ(absl::string_view(buffer), "bYtes");
}

TEST(ByteBufferTest, MovingKeepsTheAddress) {
  ByteBuffer buffer = BufferOf("bytes");
  const char* const address = buffer.data();
  const ByteBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.data(), address);
  EXPECT_EQ(absl::string_view(moved), "bytes");
}

}  // namespace
}  // namespace firstcall
