#include "base/file_contents.h"

#include <unistd.h>

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

std::string Write(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/contents";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// Sizes around those at which files are mapped, and at which a mapping has no zero byte behind it.
TEST(FileContentsTest, HasTheBytesAndAZeroBehindThem) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (size_t size :
       {size_t{0}, size_t{1}, 4 * page - 1, 4 * page, 4 * page + 1, 64 * page, 64 * page + 100}) {
    std::string bytes;
    for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * 7 + i / 256));
    ASSERT_OK_AND_ASSIGN(auto contents, FileContents::Read(Write(bytes)));
    EXPECT_EQ(contents->bytes(), bytes);
    EXPECT_EQ(contents->bytes().data()[size], '\0') << size;
  }
  EXPECT_EQ(FileContents::Copy("abc")->bytes(), "abc");
  EXPECT_EQ(FileContents::Copy("abc")->bytes().data()[3], '\0');
}

TEST(FileContentsTest, ReadsWhatHasNoSize) {
  ASSERT_OK_AND_ASSIGN(auto contents, FileContents::Read("/proc/self/maps"));
  EXPECT_THAT(std::string(contents->bytes()), ::testing::HasSubstr("[stack]"));
}

TEST(FileContentsTest, ErrorsHaveTheReason) {
  EXPECT_THAT(FileContents::Read("/no/such/file"),
              StatusIs(absl::StatusCode::kNotFound,
                       "cannot read '/no/such/file': No such file or directory"));
  EXPECT_THAT(FileContents::Read("/"),
              StatusIs(absl::StatusCode::kNotFound, "cannot read '/': Is a directory"));
}

}  // namespace
}  // namespace firstcall
