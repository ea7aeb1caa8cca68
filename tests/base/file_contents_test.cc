#include "base/file_contents.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/content_digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/host.h"
#include "tests/testing/limits.h"
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

class SettledFileTest : public ::testing::Test {
 protected:
  SettledFileTest() : path_(Write(bytes_)), contents_(FileContents::Read(path_).value()) {}

  // The clock of the file system may count in steps.
  void WriteInPlace(const std::string& bytes) const {
    usleep(20'000);
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  const std::string bytes_ = std::string(100'000, 'a') + "end";
  const std::string path_;
  const std::shared_ptr<const FileContents> contents_;
};

TEST_F(SettledFileTest, DoesNotChangeWithTheFile) {
  ASSERT_OK_AND_ASSIGN(const auto settled, contents_->Settled());
  WriteInPlace("short");
  EXPECT_EQ(settled->bytes(), bytes_);
  EXPECT_EQ(settled->bytes().data()[bytes_.size()], '\0');
  EXPECT_EQ(settled->identity(), contents_->identity());
  settled->ReleasePages();
  EXPECT_EQ(settled->bytes(), bytes_);
}

// Pages of files, of this process.
uint64_t ResidentBytesOfFiles() {
  uint64_t size = 0, resident = 0, of_files = 0;
  std::ifstream("/proc/self/statm") >> size >> resident >> of_files;
  return of_files * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(LargeSettledFileTest, IsInMemoryOnce) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator keeps pages of files";
  constexpr size_t kSize = (size_t{16} << 20) + 1;
  ASSERT_OK_AND_ASSIGN(const auto contents, FileContents::Read(Write(std::string(kSize, 'a'))));
  const std::string digest = ContentDigest(contents->bytes());
  const uint64_t before = ResidentBytesOfFiles();
  ASSERT_OK_AND_ASSIGN(const auto settled, contents->Settled(digest));
  EXPECT_LT(ResidentBytesOfFiles() + kSize / 2, before);
  EXPECT_EQ(settled->bytes(), contents->bytes());
}

TEST_F(SettledFileTest, FileThatWasWrittenToIsAnError) {
  for (const std::string& other : {std::string("short"), std::string(bytes_.size(), 'b')}) {
    WriteInPlace(other);
    EXPECT_THAT(contents_->Settled(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                               ::testing::HasSubstr("has been written to")));
  }
}

TEST_F(SettledFileTest, FileMayBeReplacedOrDeleted) {
  ASSERT_EQ(rename(Write("other").c_str(), (path_ + ".new").c_str()), 0);
  const std::string first = ::testing::TempDir() + "/first";
  std::ofstream(first, std::ios::binary) << bytes_;
  ASSERT_OK_AND_ASSIGN(const auto contents, FileContents::Read(first));
  ASSERT_EQ(rename((path_ + ".new").c_str(), first.c_str()), 0);
  ASSERT_OK_AND_ASSIGN(auto settled, contents->Settled());
  EXPECT_EQ(settled->bytes(), bytes_);
  ASSERT_EQ(unlink(first.c_str()), 0);
  ASSERT_OK_AND_ASSIGN(settled, contents->Settled());
  EXPECT_EQ(settled->bytes(), bytes_);
  ASSERT_OK_AND_ASSIGN(settled, contents->Settled(ContentDigest(bytes_)));
  EXPECT_EQ(settled->bytes(), bytes_);
}

TEST_F(SettledFileTest, FileThatWasWrittenToBeforeItWasRenamedOrDeletedIsAnErrorToo) {
  const std::string digest = ContentDigest(bytes_);
  WriteInPlace(std::string(bytes_.size(), 'b'));
  const std::string other = path_ + ".renamed";
  ASSERT_EQ(rename(path_.c_str(), other.c_str()), 0);
  EXPECT_THAT(contents_->Settled(digest), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                   ::testing::HasSubstr("has been written to")));
  ASSERT_EQ(unlink(other.c_str()), 0);
  EXPECT_THAT(contents_->Settled(digest), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(SettledFileTest, WithoutDescriptorsTheDigestTellsOrItIsAnError) {
  const std::string digest = ContentDigest(bytes_);
  const testing::LimitTo none(RLIMIT_NOFILE, 0);
  ASSERT_OK_AND_ASSIGN(const auto settled, contents_->Settled(digest));
  EXPECT_EQ(settled->bytes(), bytes_);
  EXPECT_THAT(contents_->Settled(), StatusIs(absl::StatusCode::kResourceExhausted,
                                             ::testing::HasSubstr("again: Too many open files")));
}

TEST_F(SettledFileTest, IsFoundFromAnotherWorkingDirectory) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(::testing::TempDir());
  ASSERT_OK_AND_ASSIGN(const auto contents, FileContents::Read("contents"));
  std::filesystem::current_path("/");
  WriteInPlace(std::string(bytes_.size(), 'b'));
  EXPECT_THAT(contents->Settled(), StatusIs(absl::StatusCode::kFailedPrecondition));
  std::filesystem::current_path(before);
}

TEST_F(SettledFileTest, WhatIsDiscardedIsZeroInWholePages) {
  ASSERT_OK_AND_ASSIGN(const auto settled, contents_->Settled());
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  settled->Discard(settled->bytes().substr(1, 3 * page));
  EXPECT_EQ(settled->bytes().substr(0, page), bytes_.substr(0, page));
  EXPECT_EQ(settled->bytes().substr(page, 2 * page), std::string(2 * page, '\0'));
  EXPECT_EQ(settled->bytes().substr(3 * page), bytes_.substr(3 * page));
  settled->Discard(settled->bytes().substr(3 * page + 1, page));
  settled->Discard({});
  EXPECT_EQ(settled->bytes().substr(3 * page), bytes_.substr(3 * page));
}

TEST_F(SettledFileTest, OnlyMemoryOfItsOwnIsDiscarded) {
  contents_->Discard(contents_->bytes());
  EXPECT_EQ(contents_->bytes(), bytes_);
  const auto copy = FileContents::Copy(bytes_);
  copy->Discard(copy->bytes());
  EXPECT_EQ(copy->bytes(), bytes_);
}

TEST_F(SettledFileTest, FileThatWasCutAndDeletedIsAnErrorToo) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not read memory for others";
  WriteInPlace("short");
  ASSERT_EQ(unlink(path_.c_str()), 0);
  EXPECT_THAT(contents_->Settled(), StatusIs(absl::StatusCode::kFailedPrecondition));
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
