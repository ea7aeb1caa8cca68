#include "base/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/limits.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

class FileIoTest : public ::testing::Test {
 protected:
  FileIoTest() : directory_(::testing::TempDir() + "/file_io") {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
    file_ = open(absl::StrCat(directory_, "/file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  }
  ~FileIoTest() override { close(file_); }

  const std::string directory_;
  int file_ = -1;
};

TEST_F(FileIoTest, ReadsWhatWasWritten) {
  ASSERT_THAT(WriteAt(file_, 10, "bytes"), IsOk());
  std::string bytes(5, '\0');
  ASSERT_THAT(ReadAt(file_, 10, bytes.data(), bytes.size()), IsOk());
  EXPECT_EQ(bytes, "bytes");
  ASSERT_THAT(ReadAt(file_, 0, bytes.data(), bytes.size()), IsOk());
  EXPECT_EQ(bytes, std::string(5, '\0'));
}

TEST_F(FileIoTest, PiecesAreWrittenOneBehindTheOther) {
  std::vector<std::string> pieces;
  std::string expected(3, '\0');
  for (size_t i = 0; i < 3000; ++i) {
    pieces.push_back(std::string(i % 7, static_cast<char>('a' + i % 26)));
    expected += pieces.back();
  }
  const std::vector<absl::string_view> views(pieces.begin(), pieces.end());
  ASSERT_THAT(WriteAt(file_, 3, views), IsOk());
  std::string bytes(expected.size(), 'x');
  ASSERT_THAT(ReadAt(file_, 0, bytes.data(), bytes.size()), IsOk());
  EXPECT_EQ(bytes, expected);
  EXPECT_THAT(WriteAt(file_, 0, absl::Span<const absl::string_view>()), IsOk());
  EXPECT_THAT(WriteAt(-1, 0, views),
              StatusIs(absl::StatusCode::kUnavailable, "Bad file descriptor"));
}

// A pipe takes a part of what is written, a file on a full disk, too; here it is the longest file.
TEST_F(FileIoTest, WhatIsWrittenInPartsIsWrittenWhole) {
  absl::Status status;
  {
    const testing::FileSizeLimit limit(10);
    status = WriteAt(file_, 0, {"first", "second", "third"});
  }
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, "File too large"));
  std::string bytes(10, '\0');
  ASSERT_THAT(ReadAt(file_, 0, bytes.data(), bytes.size()), IsOk());
  EXPECT_EQ(bytes, "firstsecon");
}

TEST_F(FileIoTest, FileThatEndsEarlierIsCutShort) {
  ASSERT_THAT(WriteAt(file_, 0, "bytes"), IsOk());
  std::string bytes(6, '\0');
  EXPECT_THAT(ReadAt(file_, 0, bytes.data(), bytes.size()),
              StatusIs(absl::StatusCode::kDataLoss, "it is cut short"));
}

TEST_F(FileIoTest, FailuresHaveTheSystemsReason) {
  char byte = 0;
  EXPECT_THAT(ReadAt(-1, 0, &byte, 1),
              StatusIs(absl::StatusCode::kDataLoss, "it cannot be read: Bad file descriptor"));
  EXPECT_THAT(WriteAt(-1, 0, "x"), StatusIs(absl::StatusCode::kUnavailable, "Bad file descriptor"));
}

TEST_F(FileIoTest, CreatesDirectoriesForThisUserOnly) {
  const mode_t old = umask(0);
  EXPECT_THAT(CreateDirectories(directory_ + "/a/b//c/"), IsOk());
  umask(old);
  EXPECT_THAT(CreateDirectories(directory_ + "/a/b/c"), IsOk());
  for (const char* path : {"/a", "/a/b", "/a/b/c"}) {
    struct stat status = {};
    ASSERT_EQ(stat((directory_ + path).c_str(), &status), 0) << path;
    EXPECT_EQ(status.st_mode, S_IFDIR | 0700u) << path;
  }
}

TEST_F(FileIoTest, DirectoryThatCannotBeCreatedIsUnavailable) {
  EXPECT_THAT(CreateDirectories(directory_ + "/file/a"),
              StatusIs(absl::StatusCode::kUnavailable, "Not a directory"));
  EXPECT_THAT(CreateDirectories(""),
              StatusIs(absl::StatusCode::kUnavailable, "No such file or directory"));
  EXPECT_THAT(CreateDirectories(directory_ + "/" + std::string(5000, 'x')),
              StatusIs(absl::StatusCode::kUnavailable, "File name too long"));
}

}  // namespace
}  // namespace firstcall
