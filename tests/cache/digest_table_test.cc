#include "cache/digest_table.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

class DigestTableTest : public ::testing::Test {
 protected:
  DigestTableTest() {
    path_ = ::testing::TempDir() + "/digests.XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) std::abort();
    directory_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY);
  }
  ~DigestTableTest() override { close(directory_); }

  // A file that was changed long ago.
  static FileIdentity File(uint64_t inode) {
    FileIdentity file;
    file.device = 7;
    file.inode = inode;
    file.size = 1000;
    file.modified = 1;
    file.changed = 2;
    return file;
  }
  std::string Table() const { return path_ + "/" + kDigestTableName; }

  std::string path_;
  int directory_ = -1;
  const std::string digest_ = std::string(31, 'd') + '\0';
  const std::string other_ = std::string(32, 'o');
};

TEST_F(DigestTableTest, RemembersDigests) {
  EXPECT_EQ(FindDigest(directory_, File(1)), std::nullopt);
  RememberDigest(directory_, File(1), digest_);
  RememberDigest(directory_, File(2), other_);
  EXPECT_EQ(FindDigest(directory_, File(1)), digest_);
  EXPECT_EQ(FindDigest(directory_, File(2)), other_);
  EXPECT_EQ(FindDigest(directory_, File(3)), std::nullopt);
  RememberDigest(directory_, File(1), other_);
  EXPECT_EQ(FindDigest(directory_, File(1)), other_);
}

TEST_F(DigestTableTest, EveryPartOfTheIdentityCounts) {
  RememberDigest(directory_, File(1), digest_);
  FileIdentity file = File(1);
  file.size = 1001;
  EXPECT_EQ(FindDigest(directory_, file), std::nullopt);
  file = File(1);
  file.modified = 3;
  EXPECT_EQ(FindDigest(directory_, file), std::nullopt);
  file = File(1);
  file.changed = 3;
  EXPECT_EQ(FindDigest(directory_, file), std::nullopt);
  file = File(1);
  file.device = 8;
  EXPECT_EQ(FindDigest(directory_, file), std::nullopt);
}

// A further change within the same step of the file system's clock would go unnoticed.
TEST_F(DigestTableTest, DoesNotRememberWhatWasChangedJustNow) {
  FileIdentity file = File(1);
  file.changed = absl::GetCurrentTimeNanos();
  RememberDigest(directory_, file, digest_);
  EXPECT_EQ(FindDigest(directory_, file), std::nullopt);
  file.changed += int64_t{3600} * 1'000'000'000;
  RememberDigest(directory_, file, digest_);
  EXPECT_EQ(FindDigest(directory_, file), std::nullopt);
}

TEST_F(DigestTableTest, ItsSizeIsLimited) {
  for (uint64_t i = 0; i < 10000; ++i) RememberDigest(directory_, File(i * i), digest_);
  struct stat status = {};
  ASSERT_EQ(stat(Table().c_str(), &status), 0);
  EXPECT_LT(status.st_size, 1 << 20);
  EXPECT_EQ(FindDigest(directory_, File(9999 * 9999)), digest_);
}

TEST_F(DigestTableTest, WhatIsDamagedIsNoDigest) {
  RememberDigest(directory_, File(1), digest_);
  std::ifstream stream(Table(), std::ios::binary);
  const std::string sound((std::istreambuf_iterator<char>(stream)), {});
  size_t noticed = 0;
  for (size_t i = sound.size() - 200; i < sound.size(); ++i) {
    std::string damaged = sound;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    std::ofstream(Table(), std::ios::binary) << damaged;
    const std::optional<std::string> found = FindDigest(directory_, File(1));
    if (!found) {
      ++noticed;
    } else {
      EXPECT_EQ(*found, digest_) << i;
    }
  }
  EXPECT_EQ(noticed, 80u) << "the bytes of one place";
  std::ofstream(Table(), std::ios::binary) << sound.substr(0, sound.size() - 1);
  EXPECT_EQ(FindDigest(directory_, File(1)), std::nullopt);
}

TEST_F(DigestTableTest, OthersMayNotHaveWrittenIt) {
  RememberDigest(directory_, File(1), digest_);
  ASSERT_EQ(chmod(Table().c_str(), 0666), 0);
  EXPECT_EQ(FindDigest(directory_, File(1)), std::nullopt);
  ASSERT_EQ(chmod(Table().c_str(), 0600), 0);
  EXPECT_EQ(FindDigest(directory_, File(1)), digest_);
  ASSERT_EQ(rename(Table().c_str(), (path_ + "/elsewhere").c_str()), 0);
  ASSERT_EQ(symlink((path_ + "/elsewhere").c_str(), Table().c_str()), 0);
  EXPECT_EQ(FindDigest(directory_, File(1)), std::nullopt);
}

}  // namespace
}  // namespace firstcall
