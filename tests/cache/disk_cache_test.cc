#include "cache/disk_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cache/stored_objects.h"
#include "tests/testing/limits.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DiskCacheTest : public ::testing::Test {
 protected:
  DiskCacheTest()
      : directory_(absl::StrCat(::testing::TempDir(), "/",
                                ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
  }

  std::unique_ptr<DiskCache> Open(const std::string& policy = "") {
    DiskCache::Options options;
    options.warn = [this](absl::string_view message) { warnings_.emplace_back(message); };
    options.pruning_policy = policy;
    return DiskCache::Open(directory_, std::move(options)).value();
  }

  std::string PackPath(absl::string_view signature = "signature") const {
    return absl::StrCat(directory_, "/", DiskCache::PackName(signature));
  }

  std::string ReadPack() const {
    std::ifstream stream(PackPath(), std::ios::binary);
    std::ostringstream contents;
    contents << stream.rdbuf();
    return contents.str();
  }

  // In place, as damage comes.
  void WritePack(const std::string& contents) const {
    std::ofstream(PackPath(), std::ios::binary) << contents;
  }

  std::vector<std::string> PartsInOrder() const {
    std::vector<std::string> parts;
    absl::StatusOr<std::unique_ptr<Pack>> pack = Pack::Open(AT_FDCWD, PackPath());
    for (const Pack::Entry& entry : pack.value()->EntriesInOrder()) {
      parts.push_back(entry.part.ToString());
    }
    return parts;
  }

  const std::string directory_;
  std::vector<std::string> warnings_;
};

TEST_F(DiskCacheTest, FindsWhatWasStoredBeforeAndAfterItIsWritten) {
  std::unique_ptr<DiskCache> cache = Open();
  EXPECT_EQ(Find(*cache, Function(1)), "(none)");
  Store(*cache, Function(1), "object");
  EXPECT_EQ(Find(*cache, Function(1)), "object");
  EXPECT_EQ(Find(*Open(), Function(1)), "(none)");
  cache->Flush();
  EXPECT_EQ(Find(*cache, Function(1)), "object");
  EXPECT_EQ(Find(*Open(), Function(1)), "object");
  EXPECT_EQ(Find(*Open(), Function(2)), "(none)");
  EXPECT_EQ(Find(*Open(), {ModulePart::Kind::kData, SymbolOrdinal{1}}), "(none)");
  EXPECT_EQ(Find(*Open(), Function(1), "other signature"), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DiskCacheTest, IsWrittenWhenItGoes) {
  Store(*Open(), Function(1), "object");
  EXPECT_EQ(Find(*Open(), Function(1)), "object");
}

TEST_F(DiskCacheTest, IsWrittenAfterASecondByTheNextStore) {
  std::unique_ptr<DiskCache> cache = Open();
  Store(*cache, Function(1), "one");
  absl::SleepFor(absl::Milliseconds(1100));
  Store(*cache, Function(2), "two");
  EXPECT_EQ(Find(*Open(), Function(1)), "one");
  EXPECT_EQ(Find(*Open(), Function(2)), "two");
}

// Runs `work` in a forked child, which ends without a flush, as children of servers do.
template <typename Work>
void InChild(Work work) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work();
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(DiskCacheTest, ForkedProcessesFindWhatTheirRelativesHadOptimized) {
  const ModulePart optimized = OptimizedBody(1);
  std::unique_ptr<DiskCache> cache = Open();
  Store(*cache, Function(1), "first body");
  cache->Flush();
  EXPECT_EQ(Find(*cache, optimized), "(none)");
  InChild([&] {
    Store(*cache, Function(2), "first body of the child");
    EXPECT_EQ(Find(*Open(), Function(2)), "(none)") << "it was written at once";
    Store(*cache, optimized, "optimized");
  });
  InChild([&] {
    EXPECT_EQ(Find(*cache, optimized), "optimized");
    EXPECT_EQ(Find(*cache, Function(2)), "first body of the child");
  });
  // In this process, which has asked before it forked, it is seen, too.
  EXPECT_TRUE(Has(*cache, optimized));
  EXPECT_EQ(Find(*cache, optimized), "optimized");
  EXPECT_EQ(Find(*cache, Function(1)), "first body");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DiskCacheTest, ForkedProcessesLookForNewsOfEachSignature) {
  std::unique_ptr<DiskCache> cache = Open();
  for (const char* signature : {"signature", "other"}) {
    Store(*cache, Function(1), "first body", signature);
  }
  cache->Flush();
  EXPECT_EQ(Find(*cache, OptimizedBody(1)), "(none)");
  EXPECT_EQ(Find(*cache, OptimizedBody(1), "other"), "(none)");
  InChild([&] { Store(*cache, OptimizedBody(1), "optimized", "other"); });
  EXPECT_EQ(Find(*cache, OptimizedBody(1)), "(none)");
  EXPECT_EQ(Find(*cache, OptimizedBody(1), "other"), "optimized");
}

TEST_F(DiskCacheTest, ForkedChildrenDoNotWriteALargePackOften) {
  std::unique_ptr<DiskCache> cache = Open();
  // Writing it may take 0.2 s, so it rests for 4 s.
  Store(*cache, Function(1), std::string(size_t{100} << 20, 'x'));
  cache->Flush();
  InChild([&] { Store(*cache, OptimizedBody(1), "optimized"); });
  EXPECT_EQ(Find(*Open(), OptimizedBody(1)), "(none)");
}

TEST_F(DiskCacheTest, EntriesLieInTheOrderTheyCame) {
  std::unique_ptr<DiskCache> cache = Open();
  Store(*cache, Function(7), "a");
  Store(*cache, Function(3), "b");
  cache->Flush();
  Store(*cache, Function(5), "c");
  Store(*cache, Function(1), "d");
  cache->Flush();
  EXPECT_THAT(PartsInOrder(), ElementsAre("function 7", "function 3", "function 5", "function 1"));
}

// Each run is a cache of its own that stores something.
TEST_F(DiskCacheTest, WhatWasHotOnceIsDroppedWhenItIsNotUsedAnyMore) {
  Store(*Open(), Function(1), "first body");
  Store(*Open(), OptimizedBody(1), "used");
  Store(*Open(), OptimizedBody(2), "unused");
  Store(*Open(), Continuation(2, 5), "unused, too");
  for (uint32_t run = 3; run < 1 + DiskCache::kMostUnusedRuns; ++run) {
    std::unique_ptr<DiskCache> cache = Open();
    EXPECT_EQ(Find(*cache, OptimizedBody(1)), "used");
    EXPECT_TRUE(Has(*cache, OptimizedBody(2))) << "which is no use of it";
    Store(*cache, Function(100 + run), "");
  }
  EXPECT_TRUE(Has(*Open(), OptimizedBody(2)));
  EXPECT_EQ(Find(*Open(), OptimizedBody(2)), "unused") << "in a run that writes nothing";
  Store(*Open(), Function(200), "");
  Store(*Open(), Function(201), "");
  EXPECT_FALSE(Has(*Open(), OptimizedBody(2)));
  EXPECT_FALSE(Has(*Open(), Continuation(2, 5)));
  EXPECT_TRUE(Has(*Open(), OptimizedBody(1)));
  EXPECT_EQ(Find(*Open(), Function(1)), "first body");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DiskCacheTest, OneRunMakesEntriesOlderOnce) {
  Store(*Open(), OptimizedBody(1), "unused");
  std::unique_ptr<DiskCache> cache = Open();
  for (uint32_t i = 0; i < 2 * DiskCache::kMostUnusedRuns; ++i) {
    Store(*cache, Function(i), "");
    cache->Flush();
  }
  EXPECT_TRUE(Has(*Open(), OptimizedBody(1)));
}

TEST_F(DiskCacheTest, RunThatFindsAllItNeedsWritesNothing) {
  Store(*Open(), OptimizedBody(1), "used");
  Store(*Open(), OptimizedBody(2), "unused");
  const std::string before = ReadPack();
  for (uint32_t i = 0; i < 2 * DiskCache::kMostUnusedRuns; ++i) {
    EXPECT_EQ(Find(*Open(), OptimizedBody(1)), "used");
  }
  EXPECT_EQ(ReadPack(), before);
}

TEST_F(DiskCacheTest, LaterObjectTakesThePlaceOfAnEarlierOne) {
  std::unique_ptr<DiskCache> cache = Open();
  Store(*cache, Function(1), "one");
  Store(*cache, Function(2), "two");
  Store(*cache, Function(1), "uno");
  EXPECT_EQ(Find(*cache, Function(1)), "uno");
  cache->Flush();
  Store(*cache, Function(1), "eins");
  cache->Flush();
  EXPECT_EQ(Find(*Open(), Function(1)), "eins");
  EXPECT_EQ(Find(*Open(), Function(2)), "two");
}

TEST_F(DiskCacheTest, WhatOthersWroteMeanwhileIsKept) {
  std::unique_ptr<DiskCache> a = Open(), b = Open();
  Store(*a, Function(1), "one");
  Store(*b, Function(2), "two");
  a->Flush();
  b->Flush();
  EXPECT_EQ(Find(*a, Function(2)), "two");
  EXPECT_EQ(Find(*Open(), Function(1)), "one");
  EXPECT_EQ(Find(*Open(), Function(2)), "two");
}

TEST_F(DiskCacheTest, ManyEntriesNeedASecondRead) {
  std::unique_ptr<DiskCache> cache = Open();
  for (uint32_t i = 0; i < 5000; ++i) Store(*cache, Function(i), absl::StrCat("object ", i));
  cache->Flush();
  cache = Open();
  for (uint32_t i = 0; i < 5000; ++i)
    EXPECT_EQ(Find(*cache, Function(i)), absl::StrCat("object ", i));
}

TEST_F(DiskCacheTest, DirectoryThatOthersWriteToIsRefused) {
  ASSERT_TRUE(std::filesystem::create_directories(directory_));
  for (mode_t mode : {0770, 0707, 0722}) {
    ASSERT_EQ(chmod(directory_.c_str(), mode), 0);
    EXPECT_THAT(DiskCache::Open(directory_, {}),
                StatusIs(absl::StatusCode::kPermissionDenied,
                         AllOf(HasSubstr(directory_), HasSubstr("others may write to it"))));
  }
  ASSERT_EQ(chmod(directory_.c_str(), 0755), 0);
  EXPECT_THAT(DiskCache::Open(directory_, {}), IsOk());
}

TEST_F(DiskCacheTest, DirectoryIsMadeForThisUserOnly) {
  Open();
  struct stat status = {};
  ASSERT_EQ(stat(directory_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(DiskCacheTest, PackThatOthersWriteToIsNotUsed) {
  Store(*Open(), Function(1), "object");
  ASSERT_EQ(chmod(PackPath().c_str(), 0620), 0);
  EXPECT_EQ(Find(*Open(), Function(1)), "(none)");
  EXPECT_THAT(warnings_,
              ElementsAre(AllOf(HasSubstr(PackPath()), HasSubstr("others may write to it"))));
}

TEST_F(DiskCacheTest, LinkInPlaceOfAPackIsNotFollowed) {
  Store(*Open(), Function(1), "object");
  const std::string elsewhere = absl::StrCat(directory_, "/elsewhere");
  ASSERT_EQ(rename(PackPath().c_str(), elsewhere.c_str()), 0);
  ASSERT_EQ(symlink(elsewhere.c_str(), PackPath().c_str()), 0);
  EXPECT_EQ(Find(*Open(), Function(1)), "(none)");
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(DiskCacheTest, FileThatIsNoDirectoryIsUnavailable) {
  std::ofstream(directory_.c_str()) << "file";
  EXPECT_THAT(DiskCache::Open(directory_, {}), StatusIs(absl::StatusCode::kUnavailable));
  std::filesystem::remove(directory_);
}

TEST_F(DiskCacheTest, PolicyThatCannotBeReadIsInvalid) {
  DiskCache::Options options;
  options.pruning_policy = "nonsense";
  EXPECT_THAT(DiskCache::Open(directory_, std::move(options)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "object cache policy 'nonsense': nonsense: there is no such setting"));
}

TEST_F(DiskCacheTest, PackOfAnotherSignatureIsNotUsed) {
  Store(*Open(), Function(1), "object");
  ASSERT_EQ(rename(PackPath().c_str(), PackPath("other").c_str()), 0);
  EXPECT_EQ(Find(*Open(), Function(1), "other"), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("made from something else")));
}

TEST_F(DiskCacheTest, ForeignFileIsNotUsedAndReplaced) {
  Open();
  WritePack("something else, longer than any header of a pack would ever have to be");
  {
    std::unique_ptr<DiskCache> cache = Open();
    EXPECT_EQ(Find(*cache, Function(1)), "(none)");
    EXPECT_EQ(Find(*cache, Function(2)), "(none)");
    EXPECT_THAT(warnings_, ElementsAre(HasSubstr("not written by this version")));
    Store(*cache, Function(1), "object");
  }
  EXPECT_EQ(Find(*Open(), Function(1)), "object");
}

// Every byte counts, and no change to one makes another object of what was stored.
TEST_F(DiskCacheTest, DamageToAnyByteIsAMissWithOneWarningOrHarmless) {
  {
    std::unique_ptr<DiskCache> cache = Open();
    Store(*cache, Function(1), "the first object");
    Store(*cache, Function(2), "the second object");
  }
  const std::string good = ReadPack();
  ASSERT_GT(good.size(), 100u);
  size_t misses = 0;
  for (size_t at = 0; at < good.size(); ++at) {
    for (int change : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      WritePack(bad);
      warnings_.clear();
      std::unique_ptr<DiskCache> cache = Open();
      const std::string first = Find(*cache, Function(1)), second = Find(*cache, Function(2));
      EXPECT_TRUE(first == "the first object" || first == "(none)") << at;
      EXPECT_TRUE(second == "the second object" || second == "(none)") << at;
      EXPECT_EQ(Find(*cache, Function(3)), "(none)") << at;
      const bool is_miss = first == "(none)" || second == "(none)";
      EXPECT_EQ(warnings_.size(), is_miss ? 1u : 0u) << at;
      misses += is_miss;
    }
  }
  EXPECT_EQ(misses, 3 * good.size());
}

TEST_F(DiskCacheTest, PackThatIsCutShortAnywhereIsAMiss) {
  Store(*Open(), Function(1), "object");
  const std::string good = ReadPack();
  for (size_t size = 0; size < good.size(); ++size) {
    WritePack(good.substr(0, size));
    warnings_.clear();
    EXPECT_EQ(Find(*Open(), Function(1)), "(none)") << size;
    EXPECT_EQ(warnings_.size(), 1u) << size;
  }
}

TEST_F(DiskCacheTest, PackThatIsCutShortWhileItIsOpenIsAMiss) {
  std::unique_ptr<DiskCache> cache = Open();
  Store(*cache, Function(1), std::string(1 << 20, 'x'));
  cache->Flush();
  EXPECT_EQ(Find(*cache, Function(2)), "(none)");
  ASSERT_EQ(truncate(PackPath().c_str(), 5000), 0);
  EXPECT_EQ(Find(*cache, Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("cut short")));
}

TEST_F(DiskCacheTest, DamagedEntryIsReplacedByTheNextWriter) {
  {
    std::unique_ptr<DiskCache> cache = Open();
    Store(*cache, Function(1), "the first object");
    Store(*cache, Function(2), "the second object");
  }
  std::string bad = ReadPack();
  bad[bad.find("the first")] = 'T';
  WritePack(bad);
  {
    std::unique_ptr<DiskCache> cache = Open();
    EXPECT_EQ(Find(*cache, Function(1)), "(none)");
    Store(*cache, Function(3), "third");
  }
  warnings_.clear();
  EXPECT_EQ(Find(*Open(), Function(2)), "the second object");
  EXPECT_EQ(Find(*Open(), Function(3)), "third");
  EXPECT_THAT(PartsInOrder(), ElementsAre("function 2", "function 3"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DiskCacheTest, FullDiskIsOneWarningAndLeavesThePackOfBefore) {
  Store(*Open(), Function(1), "object");
  std::unique_ptr<DiskCache> cache = Open();
  {
    // As if the disk were full.
    const testing::FileSizeLimit limit(8192);
    for (uint32_t i = 2; i < 4; ++i) {
      Store(*cache, Function(i), std::string(100000, 'x'));
      cache->Flush();
    }
  }
  EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr(directory_), HasSubstr("not kept"),
                                           HasSubstr("File too large"))));
  EXPECT_EQ(Find(*Open(), Function(1)), "object");
  EXPECT_EQ(Find(*Open(), Function(2)), "(none)");
}

TEST_F(DiskCacheTest, WriterThatIsStoppedDoesNotHoldUpOthersForLong) {
  Store(*Open(), Function(1), "object");
  const int lock = open(absl::StrCat(directory_, "/lock").c_str(), O_RDWR);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  std::unique_ptr<DiskCache> cache = Open();
  Store(*cache, Function(2), "two");
  const absl::Time start = absl::Now();
  cache->Flush();
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("its lock")));
  close(lock);
  EXPECT_EQ(Find(*Open(), Function(1)), "object");
}

TEST_F(DiskCacheTest, WriterThatIsStoppedDoesNotHoldUpAStoreAtAll) {
  Store(*Open(), Function(1), "one");
  const int lock = open(absl::StrCat(directory_, "/lock").c_str(), O_RDWR);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  std::unique_ptr<DiskCache> cache = Open();
  Store(*cache, Function(2), "two");
  absl::SleepFor(absl::Milliseconds(1100));
  Store(*cache, Function(3), "three");
  // Nothing was given up.
  EXPECT_EQ(Find(*cache, Function(2)), "two");
  EXPECT_EQ(Find(*Open(), Function(2)), "(none)");
  close(lock);
  cache->Flush();
  EXPECT_EQ(Find(*Open(), Function(2)), "two");
  EXPECT_EQ(Find(*Open(), Function(3)), "three");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DiskCacheTest, HandlerOfWarningsMayUseTheCache) {
  Store(*Open(), Function(1), "one");
  WritePack("damaged");
  DiskCache* used = nullptr;
  DiskCache::Options options;
  options.warn = [&](absl::string_view message) {
    warnings_.emplace_back(message);
    EXPECT_EQ(Find(*used, Function(7)), "(none)");
  };
  const std::unique_ptr<DiskCache> cache = DiskCache::Open(directory_, std::move(options)).value();
  used = cache.get();
  EXPECT_EQ(Find(*cache, Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is not used")));
}

TEST_F(DiskCacheTest, OldPacksGoByThePolicy) {
  Store(*Open(), Function(1), "object");
  struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, PackPath().c_str(), old, 0), 0);
  Store(*Open("prune_interval=0s:prune_after=24h"), Function(1), "object", "other");
  EXPECT_FALSE(std::filesystem::exists(PackPath()));
  EXPECT_TRUE(std::filesystem::exists(PackPath("other")));
}

TEST_F(DiskCacheTest, LargestPacksGoByThePolicy) {
  Store(*Open(), Function(1), std::string(100000, 'x'));
  Store(*Open("prune_interval=0s:cache_size_bytes=50000"), Function(1), "object", "other");
  EXPECT_FALSE(std::filesystem::exists(PackPath()));
}

// Each is an open file of the process, which may have few.
TEST_F(DiskCacheTest, FewPacksAreOpenAtTheSameTime) {
  const testing::LimitTo few(RLIMIT_NOFILE, 200);
  for (int run = 0; run < 2; ++run) {
    const std::unique_ptr<DiskCache> cache = Open();
    const int before = testing::OpenFiles();
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (int i = 0; i < 300; ++i) {
        const std::string signature = absl::StrCat("signature", i);
        if (run == 0) Store(*cache, Function(1), "object", signature);
        EXPECT_EQ(Find(*cache, Function(1), signature), "object");
      }
    }
    cache->Flush();
    EXPECT_EQ(Find(*cache, Function(1), "signature0"), "object");
    EXPECT_LE(testing::OpenFiles() - before, 70);
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DiskCacheTest, ThreadsShareACache) {
  std::unique_ptr<DiskCache> cache = Open();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < 100; ++i) {
        Store(*cache, Function(t * 100 + i), absl::StrCat(t * 100 + i));
        if (i % 20 == 0) cache->Flush();
        Find(*cache, Function(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  cache->Flush();
  for (uint32_t i = 0; i < 400; ++i) EXPECT_EQ(Find(*cache, Function(i)), absl::StrCat(i));
}

}  // namespace
}  // namespace firstcall
