#include "cache/pruning.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PruningPolicyTest, DefaultsAreLlvms) {
  ASSERT_OK_AND_ASSIGN(PruningPolicy policy, PruningPolicy::Parse(""));
  EXPECT_EQ(policy.interval, absl::Seconds(1200));
  EXPECT_EQ(policy.expiration, absl::Hours(168));
  EXPECT_EQ(policy.most_percent, 75u);
  EXPECT_EQ(policy.most_bytes, 0u);
  EXPECT_EQ(policy.most_files, 1000000u);
}

TEST(PruningPolicyTest, EachKeySetsItsValueOnly) {
  ASSERT_OK_AND_ASSIGN(PruningPolicy policy, PruningPolicy::Parse("prune_interval=30s"));
  EXPECT_EQ(policy.interval, absl::Seconds(30));
  EXPECT_EQ(policy.expiration, absl::Hours(168));
  ASSERT_OK_AND_ASSIGN(policy, PruningPolicy::Parse("prune_after=24h"));
  EXPECT_EQ(policy.expiration, absl::Hours(24));
  EXPECT_EQ(policy.interval, absl::Seconds(1200));
  ASSERT_OK_AND_ASSIGN(policy, PruningPolicy::Parse("cache_size=50%"));
  EXPECT_EQ(policy.most_percent, 50u);
  ASSERT_OK_AND_ASSIGN(policy, PruningPolicy::Parse("cache_size_bytes=1000"));
  EXPECT_EQ(policy.most_bytes, 1000u);
  EXPECT_EQ(policy.most_percent, 75u);
  ASSERT_OK_AND_ASSIGN(policy, PruningPolicy::Parse("cache_size_files=7"));
  EXPECT_EQ(policy.most_files, 7u);
}

TEST(PruningPolicyTest, SettingsAreSeparatedByColonsAndTheLastCounts) {
  ASSERT_OK_AND_ASSIGN(
      PruningPolicy policy,
      PruningPolicy::Parse("prune_interval=5m:prune_after=2h:cache_size=0%:prune_interval=0s:"));
  EXPECT_EQ(policy.interval, absl::ZeroDuration());
  EXPECT_EQ(policy.expiration, absl::Hours(2));
  EXPECT_EQ(policy.most_percent, 0u);
}

TEST(PruningPolicyTest, UnitsAreThoseOfTimesAndSizes) {
  for (auto [text, duration] : {std::pair{"prune_after=90s", absl::Seconds(90)},
                                {"prune_after=90m", absl::Minutes(90)},
                                {"prune_after=90h", absl::Hours(90)},
                                {"prune_after=18446744073709551615h", absl::InfiniteDuration()}}) {
    EXPECT_EQ(PruningPolicy::Parse(text).value().expiration, duration) << text;
  }
  for (auto [text, bytes] : {std::pair<const char*, uint64_t>{"cache_size_bytes=3k", 3 << 10},
                             {"cache_size_bytes=3K", 3 << 10},
                             {"cache_size_bytes=3m", 3 << 20},
                             {"cache_size_bytes=3M", 3 << 20},
                             {"cache_size_bytes=3g", uint64_t{3} << 30},
                             {"cache_size_bytes=3G", uint64_t{3} << 30},
                             {"cache_size_bytes=18446744073709551615", ~uint64_t{0}}}) {
    EXPECT_EQ(PruningPolicy::Parse(text).value().most_bytes, bytes) << text;
  }
}

TEST(PruningPolicyTest, OtherTextsAreInvalidWithSettingAndReason) {
  for (auto [setting, reason] : {
           std::pair{"nonsense", "there is no such setting"},
           {"=", "there is no such setting"},
           {"prune_expiration=1h", "there is no such setting"},
           {"PRUNE_AFTER=1h", "there is no such setting"},
           {"prune_after", "'' is not a time"},
           {"prune_after=", "'' is not a time"},
           {"prune_after=7", "'7' is not a time"},
           {"prune_after=7d", "'7d' is not a time"},
           {"prune_after=h", "'' is no number"},
           {"prune_after=-1h", "'-1' is no number"},
           {"prune_after=+1h", "'+1' is no number"},
           {"prune_after= 1h", "' 1' is no number"},
           {"prune_after=1.5h", "'1.5' is no number"},
           {"prune_interval=1=1s", "'1=1' is no number"},
           {"prune_interval=18446744073709551616s", "or too large"},
           {"cache_size=50", "'50' is not a percentage"},
           {"cache_size=", "'' is not a percentage"},
           {"cache_size=%", "'' is no number"},
           {"cache_size=101%", "'101%' is more than 100%"},
           {"cache_size_bytes=", "'' is no number"},
           {"cache_size_bytes=k", "'' is no number"},
           {"cache_size_bytes=1t", "'1t' is no number"},
           {"cache_size_bytes=18014398509481984k", "is too large"},
           {"cache_size_files=", "'' is no number"},
           {"cache_size_files=1k", "'1k' is no number"},
       }) {
    EXPECT_THAT(PruningPolicy::Parse(absl::StrCat("prune_interval=0s:", setting)),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(absl::StrCat(setting, ": ")), HasSubstr(reason))))
        << setting;
  }
}

class PruneTest : public ::testing::Test {
 protected:
  PruneTest() : path_(::testing::TempDir() + "/pruning") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
    directory_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  ~PruneTest() override { close(directory_); }

  std::string Path(absl::string_view name) const { return absl::StrCat(path_, "/", name); }

  // Makes a file that was read and written so long ago.
  void Make(absl::string_view name, absl::Duration age, size_t size = 1) const {
    std::ofstream(Path(name)) << std::string(size, 'x');
    SetAge(name, age);
  }

  void SetAge(absl::string_view name, absl::Duration age) const {
    const timespec time = absl::ToTimespec(absl::Now() - age);
    const timespec times[] = {time, time};
    ASSERT_EQ(utimensat(AT_FDCWD, Path(name).c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }

  void PruneBy(absl::string_view policy) const {
    EXPECT_THAT(Prune(directory_, PruningPolicy::Parse(policy).value()), IsOk());
  }

  // All but the timestamp, sorted.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      const std::string name = entry.path().filename().string();
      if (name != kPruningTimestampName) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::string path_;
  int directory_ = -1;
};

TEST_F(PruneTest, RemovesWhatHasExpired) {
  Make("llvmcache-old", absl::Hours(3));
  Make("llvmcache-new", absl::Hours(1));
  PruneBy("prune_after=2h");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-new"));
}

TEST_F(PruneTest, FileThatWasReadIsNotOld) {
  Make("llvmcache-read", absl::Hours(3));
  const timespec times[] = {absl::ToTimespec(absl::Now()), {0, UTIME_OMIT}};
  ASSERT_EQ(utimensat(AT_FDCWD, Path("llvmcache-read").c_str(), times, 0), 0);
  PruneBy("prune_after=2h");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-read"));
}

TEST_F(PruneTest, NothingExpiresAfterZero) {
  Make("llvmcache-old", absl::Hours(100000));
  PruneBy("prune_after=0s");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-old"));
}

TEST_F(PruneTest, RemovesWhatWasNotUsedForLongestWhileThereAreTooManyBytes) {
  Make("llvmcache-1", absl::Minutes(1), 1000);
  Make("llvmcache-4", absl::Minutes(4), 1000);
  Make("llvmcache-3", absl::Minutes(3), 1000);
  Make("llvmcache-2", absl::Minutes(2), 1000);
  PruneBy("prune_interval=0s:cache_size_bytes=4000");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-1", "llvmcache-2", "llvmcache-3", "llvmcache-4"));
  PruneBy("prune_interval=0s:cache_size_bytes=2999");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-1", "llvmcache-2"));
  PruneBy("prune_interval=0s:cache_size_bytes=1:cache_size=0%");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(PruneTest, RemovesWhatWasNotUsedForLongestWhileThereAreTooManyFiles) {
  Make("llvmcache-1", absl::Minutes(1));
  Make("llvmcache-2", absl::Minutes(2));
  Make("llvmcache-3", absl::Minutes(3));
  PruneBy("prune_interval=0s:cache_size_files=2:cache_size_bytes=2");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-1", "llvmcache-2"));
  PruneBy("prune_interval=0s:cache_size_files=0");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-1", "llvmcache-2"));
}

TEST_F(PruneTest, OfTwoThatWereLastUsedTogetherTheLargerGoes) {
  const absl::Time now = absl::Now();
  for (const char* name : {"llvmcache-a", "llvmcache-b", "llvmcache-c"}) {
    Make(name, absl::ZeroDuration(), name == std::string("llvmcache-b") ? 200 : 100);
    const timespec times[] = {absl::ToTimespec(now), absl::ToTimespec(now)};
    ASSERT_EQ(utimensat(AT_FDCWD, Path(name).c_str(), times, 0), 0);
  }
  PruneBy("cache_size_bytes=200");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-a", "llvmcache-c"));
}

// A sparse file has a size as large as the disk without filling it.
TEST_F(PruneTest, RemovesWhatTakesTooMuchOfTheFreeSpace) {
  Make("llvmcache-small", absl::Minutes(2));
  PruneBy("prune_interval=0s:cache_size=1%");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-small"));
  Make("llvmcache-large", absl::Minutes(3));
  const auto space = std::filesystem::space(path_);
  if (truncate(Path("llvmcache-large").c_str(), static_cast<off_t>(space.free)) != 0) {
    GTEST_SKIP() << "this file system has no files that large";
  }
  PruneBy("prune_interval=0s:cache_size=60%");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-large", "llvmcache-small"));
  PruneBy("prune_interval=0s:cache_size=40%");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-small"));
}

TEST_F(PruneTest, WaitsForTheInterval) {
  Make("llvmcache-1", absl::Hours(3));
  PruneBy("prune_after=1h");
  EXPECT_THAT(Names(), IsEmpty());
  Make("llvmcache-2", absl::Hours(3));
  PruneBy("prune_after=1h:prune_interval=1h");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-2"));
  SetAge(kPruningTimestampName, absl::Minutes(61));
  PruneBy("prune_after=1h:prune_interval=1h");
  EXPECT_THAT(Names(), IsEmpty());
  Make("llvmcache-3", absl::Hours(3));
  PruneBy("prune_after=1h:prune_interval=1h");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-3"));
  PruneBy("prune_after=1h:prune_interval=0s");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(PruneTest, PolicyWithoutLimitsDoesNotTouchTheDirectory) {
  Make("llvmcache-1", absl::Hours(1000));
  PruneBy("prune_after=0s:cache_size=0%:cache_size_bytes=0:cache_size_files=0");
  EXPECT_THAT(Names(), ElementsAre("llvmcache-1"));
  EXPECT_FALSE(std::filesystem::exists(Path(kPruningTimestampName)));
}

TEST_F(PruneTest, LeavesOtherFilesAloneAndDoesNotCountThem) {
  for (const char* name : {"lock", "llvmcache", "x-llvmcache-1"}) Make(name, absl::Hours(3));
  Make("llvmcache-1", absl::Hours(1));
  std::filesystem::create_directories(Path("llvmcache-directory"));
  std::filesystem::create_symlink("lock", Path("llvmcache-link"));
  SetAge("llvmcache-directory", absl::Hours(3));
  SetAge("llvmcache-link", absl::Hours(3));
  PruneBy("prune_after=2h:cache_size_files=1:cache_size_bytes=1");
  EXPECT_THAT(Names(), ElementsAre("llvmcache", "llvmcache-1", "llvmcache-directory",
                                   "llvmcache-link", "lock", "x-llvmcache-1"));
}

TEST_F(PruneTest, LinkInPlaceOfTheTimestampIsNotFollowed) {
  Make("mine", absl::Hours(3));
  std::filesystem::create_symlink("mine", Path(kPruningTimestampName));
  const auto before = std::filesystem::last_write_time(Path("mine"));
  Make("llvmcache-1", absl::Hours(3));
  SetAge(kPruningTimestampName, absl::Hours(3));
  PruneBy("prune_after=2h");
  EXPECT_THAT(Names(), ElementsAre("mine"));
  EXPECT_EQ(std::filesystem::last_write_time(Path("mine")), before);
}

TEST_F(PruneTest, WhatIsNoDirectoryIsUnavailable) {
  EXPECT_THAT(Prune(-1, PruningPolicy()),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Bad file descriptor")));
}

}  // namespace
}  // namespace firstcall
