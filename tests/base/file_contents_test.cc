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

TEST(FileContentsTest, KnowsWhetherTheFileHasChanged) {
  const std::string path = Write("some text");
  ASSERT_OK_AND_ASSIGN(auto contents, FileContents::Read(path));
  ASSERT_TRUE(contents->identity().has_value());
  ASSERT_OK_AND_ASSIGN(auto again, FileContents::Read(path));
  EXPECT_TRUE(again->identity() == contents->identity());
  // The clock of the file system may count in large steps.
  for (int i = 0; i < 1000 && again->identity() == contents->identity(); ++i) {
    usleep(10'000);
    Write("other tex");
    ASSERT_OK_AND_ASSIGN(again, FileContents::Read(path));
  }
  EXPECT_FALSE(again->identity() == contents->identity());
  EXPECT_EQ(contents->identity()->size, again->identity()->size);
  EXPECT_FALSE(FileContents::Copy("abc")->identity().has_value());
  ASSERT_OK_AND_ASSIGN(auto device, FileContents::Read("/dev/null"));
  EXPECT_FALSE(device->identity().has_value());
}

TEST(FileContentsTest, AnIdentityIsSettledWhenItIsOlderThanTheClocksSteps) {
  FileIdentity identity;
  identity.changed = 10'000'000'000;
  EXPECT_FALSE(identity.IsSettled(10'000'000'001));
  EXPECT_FALSE(identity.IsSettled(9'000'000'000)) << "clocks differ";
  EXPECT_FALSE(identity.IsSettled(12'000'000'000));
  EXPECT_TRUE(identity.IsSettled(12'000'000'001));
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
