// What caches have in common that machines share, against real servers of all kinds on loopback.

#include "cache/shared_cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/disk_cache.h"
#include "cache/open_shared_cache.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cache/cache_server.h"
#include "tests/cache/stored_objects.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Kind = CacheServer::Kind;

constexpr ModulePart kStart{ModulePart::Kind::kStart, SymbolOrdinal()};

class SharedCacheTest : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (const std::string missing = CacheServer::Missing(GetParam()); !missing.empty()) {
      GTEST_SKIP() << missing;
    }
    server_ = CacheServer::Start(GetParam());
  }

  // `settings` are added to those by which the server is known.
  std::unique_ptr<SharedCache> Connect(const SharedCacheSettings& settings = {},
                                       std::shared_ptr<ObjectCache> front = nullptr) {
    SharedCacheSettings all = server_->Trust();
    all.emplace_back("budget", "20000");
    all.insert(all.end(), settings.begin(), settings.end());
    return OpenSharedCache(server_->Url(), all, std::move(front),
                           [this](absl::string_view message) { warnings_.emplace_back(message); })
        .value();
  }

  static SharedCacheSettings WithKey(const std::string& key) {
    const std::string path = ::testing::TempDir() + "/key";
    std::ofstream(path) << key;
    return {{"key-file", path}};
  }

  // An empty directory for a local cache.
  static std::string NewDirectory() {
    std::string path = ::testing::TempDir() + "/front";
    std::filesystem::remove_all(path);
    return path;
  }

  std::unique_ptr<CacheServer> server_;
  std::vector<std::string> warnings_;
};

std::string NameOf(const ::testing::TestParamInfo<Kind>& kind) {
  return CacheServer::NameOf(kind.param);
}

INSTANTIATE_TEST_SUITE_P(Servers, SharedCacheTest,
                         ::testing::Values(Kind::kHttp, Kind::kHttps, Kind::kRedis,
                                           Kind::kRedisWithTls, Kind::kRedisCluster),
                         &NameOf);

TEST_P(SharedCacheTest, OneFindsWhatAnotherStored) {
  const std::string bytes("any \0 bytes\r\n", 13);
  {
    std::unique_ptr<SharedCache> cache = Connect();
    EXPECT_EQ(Find(*cache, Function(1)), "(none)");
    Store(*cache, Function(1), bytes);
    Store(*cache, Function(2), "");
    EXPECT_EQ(Find(*cache, Function(1)), bytes);
  }
  std::unique_ptr<SharedCache> cache = Connect();
  EXPECT_FALSE(Has(*cache, Function(1)));
  EXPECT_EQ(Find(*cache, Function(1)), bytes);
  EXPECT_TRUE(Has(*cache, Function(1)));
  EXPECT_EQ(Find(*cache, Function(2)), "");
  EXPECT_EQ(Find(*cache, Function(3)), "(none)");
  EXPECT_EQ(Find(*cache, Function(1), "other"), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
}

// In a cluster, their keys are on all servers.
TEST_P(SharedCacheTest, SignaturesDoNotMix) {
  const auto signature = [](int i) { return absl::StrCat("signature ", i); };
  {
    std::unique_ptr<SharedCache> cache = Connect();
    for (int i = 0; i < 10; ++i) Store(*cache, Function(1), absl::StrCat(i), signature(i));
  }
  std::unique_ptr<SharedCache> cache = Connect();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Find(*cache, Function(1), signature(i)), absl::StrCat(i));
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

// In a cluster, their keys are on all servers.
TEST_P(SharedCacheTest, ExpectedModulesComeTogether) {
  std::vector<std::string> signatures;
  for (int i = 0; i < 30; ++i) signatures.push_back(absl::StrCat("signature ", i));
  const auto object = [](size_t i) { return absl::StrCat("object ", i, std::string(2000, 'x')); };
  {
    std::unique_ptr<SharedCache> cache = Connect(WithKey("the key"));
    for (size_t i = 0; i < signatures.size(); ++i) {
      // Nobody has stored one of them, and somebody else another one.
      if (i != 3 && i != 7) Store(*cache, Function(1), object(i), signatures[i]);
    }
  }
  Store(*Connect(WithKey("another key")), Function(1), "foreign", signatures[7]);
  std::shared_ptr<DiskCache> front = DiskCache::Open(NewDirectory(), {}).value();
  Store(*front, Function(1), "of the front", signatures[9]);
  std::unique_ptr<SharedCache> cache = Connect(WithKey("the key"), front);
  Expect(*cache, signatures);
  server_->Kill();
  for (size_t i = 0; i < signatures.size(); ++i) {
    const std::string expected = i == 3 || i == 7 ? "(none)" : i == 9 ? "of the front" : object(i);
    EXPECT_EQ(Find(*cache, Function(1), signatures[i]), expected) << i;
  }
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("not written with this key")));
}

TEST_P(SharedCacheTest, WithoutAFrontItKeepsWhatItHasReturnedAndWasGiven) {
  Store(*Connect(), Function(1), "one");
  std::unique_ptr<SharedCache> cache = Connect();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Find(*cache, Function(1)), "one");
    EXPECT_TRUE(Has(*cache, Function(1)));
  }
  Store(*cache, Function(2), "two");
  EXPECT_EQ(Find(*cache, Function(2)), "two");
  cache->Flush();
  EXPECT_EQ(Find(*cache, Function(2)), "two");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_P(SharedCacheTest, EntriesOfSeveralWritersAreMerged) {
  for (uint32_t i = 0; i < 5; ++i) {
    std::unique_ptr<SharedCache> cache = Connect();
    Store(*cache, Function(i), absl::StrCat("object ", i));
    if (i == 2) Store(*cache, kStart, "start");
  }
  std::unique_ptr<SharedCache> cache = Connect();
  for (uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(Find(*cache, Function(i)), absl::StrCat("object ", i));
  }
  EXPECT_EQ(Find(*cache, kStart), "start");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_P(SharedCacheTest, WritersAtTheSameTimeLeaveWhatCanBeUsed) {
  std::vector<std::thread> writers;
  std::vector<std::unique_ptr<SharedCache>> caches;
  for (int i = 0; i < 8; ++i) caches.push_back(Connect());
  for (uint32_t i = 0; i < caches.size(); ++i) {
    writers.emplace_back([i, &cache = *caches[i]] {
      Store(cache, Function(i), absl::StrCat("object ", i));
      Store(cache, Function(100), "the same");
      cache.Flush();
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::unique_ptr<SharedCache> cache = Connect();
  for (uint32_t i = 0; i < caches.size(); ++i) {
    EXPECT_THAT(Find(*cache, Function(i)), AnyOf(absl::StrCat("object ", i), "(none)"));
  }
  EXPECT_EQ(Find(*cache, Function(100)), "the same");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_P(SharedCacheTest, ManyFunctionsAreInTheSecondPack) {
  const auto object = [](uint32_t i) { return absl::StrCat("object ", i, std::string(100, 'x')); };
  {
    std::unique_ptr<SharedCache> cache = Connect();
    for (uint32_t i = 0; i < 5000; ++i) Store(*cache, Function(i), object(i));
    Store(*cache, OptimizedBody(7), "optimized");
    Store(*cache, Continuation(7, 1), "continuation");
    Store(*cache, kStart, "start");
  }
  std::unique_ptr<SharedCache> cache = Connect();
  EXPECT_EQ(Find(*cache, kStart), "start");
  EXPECT_EQ(Find(*cache, OptimizedBody(7)), "optimized");
  EXPECT_EQ(Find(*cache, Continuation(7, 1)), "continuation");
  EXPECT_FALSE(Has(*cache, OptimizedBody(8)));
  EXPECT_EQ(Find(*cache, OptimizedBody(8)), "(none)");
  EXPECT_TRUE(Has(*cache, Function(4321)));
  EXPECT_EQ(Find(*cache, Function(4321)), object(4321));
  EXPECT_EQ(Find(*cache, Function(17)), object(17));
  EXPECT_EQ(Find(*cache, Function(5000)), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_P(SharedCacheTest, PartsOfALargeSecondPackAreFetched) {
  {
    std::unique_ptr<SharedCache> cache = Connect();
    for (uint32_t i = 0; i < 20; ++i) Store(*cache, Function(i), std::string(100000, 'a' + i));
    Store(*cache, kStart, "start");
  }
  std::unique_ptr<SharedCache> cache = Connect();
  EXPECT_EQ(Find(*cache, Function(5)), std::string(100000, 'f'));
  EXPECT_EQ(Find(*cache, Function(19)), std::string(100000, 't'));
  // A new second pack is made of the old one.
  Store(*cache, Function(20), "another");
  cache = Connect();
  EXPECT_EQ(Find(*cache, Function(20)), "another");
  EXPECT_EQ(Find(*cache, Function(6)), std::string(100000, 'g'));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_P(SharedCacheTest, PartsOfASignatureAreListed) {
  EXPECT_THAT(Connect()->PartsOf("signature"), IsEmpty());
  {
    std::unique_ptr<SharedCache> cache = Connect();
    Store(*cache, kStart, "start");
    for (uint32_t i = 0; i < 2; ++i) Store(*cache, Function(i), std::string(100000, 'x'));
  }
  std::unique_ptr<SharedCache> cache = Connect();
  EXPECT_THAT(cache->PartsOf("signature"), ElementsAre(Function(0), Function(1), kStart));
  EXPECT_THAT(cache->PartsOf("other"), IsEmpty());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_P(SharedCacheTest, FrontIsAskedFirstAndKeepsWhatTheServerHad) {
  const std::string directory = NewDirectory();
  Store(*Connect(), Function(1), "object");
  for (int i = 0; i < 2; ++i) {
    std::shared_ptr<DiskCache> front = DiskCache::Open(directory, {}).value();
    std::unique_ptr<SharedCache> cache = Connect({}, front);
    EXPECT_EQ(Find(*cache, Function(1)), "object");
    cache->Flush();
    server_->Kill();
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_P(SharedCacheTest, ReadOnlySendsNothing) {
  Store(*Connect(), Function(1), "object");
  {
    std::unique_ptr<SharedCache> cache = Connect({{"read-only", "yes"}});
    EXPECT_EQ(Find(*cache, Function(1)), "object");
    EXPECT_EQ(Find(*cache, Function(2)), "(none)");
    Store(*cache, Function(2), "two");
    EXPECT_EQ(Find(*cache, Function(2)), "two");
    EXPECT_FALSE(cache->keeps());
  }
  EXPECT_EQ(Find(*Connect(), Function(2)), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_P(SharedCacheTest, WithAKeyOnlyItsOwnersAreBelieved) {
  Store(*Connect(WithKey("the key")), Function(1), "object");
  EXPECT_EQ(Find(*Connect(WithKey("the key")), Function(1)), "object");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Find(*Connect(WithKey("another key")), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("not written with this key")));
  EXPECT_EQ(Find(*Connect(), Function(1)), "(none)");
}

TEST_P(SharedCacheTest, WhatIsTooLargeIsNeitherSentNorUsed) {
  {
    std::unique_ptr<SharedCache> cache = Connect({{"most-entry-bytes", "1000"}});
    Store(*cache, Function(1), std::string(1001, 'x'));
    Store(*cache, Function(2), std::string(1000, 'y'));
  }
  EXPECT_EQ(Find(*Connect(), Function(1)), "(none)");
  EXPECT_EQ(Find(*Connect(), Function(2)), std::string(1000, 'y'));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Find(*Connect({{"most-entry-bytes", "999"}}), Function(2)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("an entry is too large")));
  EXPECT_EQ(Find(*Connect({{"most-pack-bytes", "1000"}}), Function(2)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("an entry"), HasSubstr("a pack is too large")));
  Store(*Connect(), Function(3), std::string(100000, 'z'));
  EXPECT_EQ(Find(*Connect({{"most-pack-bytes", "1000"}}), Function(2)), "(none)");
  EXPECT_THAT(warnings_, SizeIs(3));
}

TEST_P(SharedCacheTest, ServerThatIsNotThereIsOneWarning) {
  std::unique_ptr<SharedCache> cache = Connect();
  server_->Kill();
  EXPECT_EQ(Find(*cache, Function(1)), "(none)");
  Store(*cache, Function(1), "object");
  cache->Flush();
  EXPECT_EQ(Find(*cache, Function(2)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr("object cache '" + server_->Url()),
                                           HasSubstr("is not used: "), HasSubstr("onnect"))));
}

TEST_P(SharedCacheTest, ServerThatGoesInTheMiddleIsOneWarning) {
  {
    std::unique_ptr<SharedCache> cache = Connect();
    for (uint32_t i = 0; i < 10; ++i) Store(*cache, Function(i), "object");
  }
  std::unique_ptr<SharedCache> cache = Connect();
  EXPECT_EQ(Find(*cache, Function(1)), "object");
  server_->Kill();
  // What has been fetched is still there.
  EXPECT_EQ(Find(*cache, Function(2)), "object");
  EXPECT_EQ(Find(*cache, Function(1), "other"), "(none)");
  EXPECT_EQ(Find(*cache, Function(2), "other"), "(none)");
  Store(*cache, Function(1), "object", "other");
  cache->Flush();
  EXPECT_THAT(warnings_, SizeIs(1));
}

TEST_P(SharedCacheTest, ServerThatHangsCostsNoMoreThanTheBudget) {
  std::unique_ptr<SharedCache> cache = Connect({{"budget", "200"}});
  server_->Stop();
  const absl::Time start = absl::Now();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Find(*cache, Function(1), absl::StrCat("signature ", i)), "(none)");
    Store(*cache, Function(1), "object");
    cache->Flush();
  }
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("no answer in time")));
  server_->Continue();
}

TEST_P(SharedCacheTest, HandlerOfWarningsMayUseTheCache) {
  const std::string url = server_->Url();
  server_->Kill();
  SharedCache* used = nullptr;
  std::unique_ptr<SharedCache> cache =
      OpenSharedCache(url, server_->Trust(), nullptr, [&](absl::string_view message) {
        warnings_.emplace_back(message);
        EXPECT_EQ(Find(*used, Function(1)), "(none)");
      }).value();
  used = cache.get();
  EXPECT_EQ(Find(*cache, Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is not used")));
}

TEST_P(SharedCacheTest, ForkedChildGoesOnWithoutTheServer) {
  Store(*Connect(), Function(1), "object");
  std::unique_ptr<SharedCache> cache = Connect();
  EXPECT_EQ(Find(*cache, Function(2)), "(none)");
  const pid_t child = fork();
  if (child == 0) {
    const bool is_right = Find(*cache, Function(1), "other") == "(none)";
    cache = nullptr;
    _exit(is_right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  // On the same connection.
  EXPECT_EQ(Find(*cache, Function(1), "a third one"), "(none)");
  EXPECT_EQ(Find(*cache, Function(1)), "object");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_P(SharedCacheTest, ProgramThatClosesAllFilesKeepsItsOwn) {
  const pid_t child = fork();
  if (child == 0) {
    int ends[2] = {};
    {
      std::unique_ptr<SharedCache> cache = Connect();
      Store(*cache, Function(1), "object");
      cache->Flush();
      closefrom(3);
      if (pipe(ends) != 0) _exit(1);
      // Own files under the numbers that the connection had.
      for (int number = ends[1] + 1; number < 64; ++number) dup2(ends[1], number);
      Store(*cache, Function(2), "two");
      cache->Flush();
      if (Find(*cache, Function(2)) != "two") _exit(2);
    }
    for (int number = ends[1] + 1; number < 64; ++number) {
      if (close(number) != 0) _exit(3);
    }
    close(ends[1]);
    char byte;
    if (read(ends[0], &byte, 1) != 0) _exit(4);
    _exit(warnings_.empty() ? 0 : 5);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  std::unique_ptr<SharedCache> cache = Connect();
  EXPECT_EQ(Find(*cache, Function(2)), "two");
  EXPECT_EQ(Find(*cache, Function(1)), "object");
}

class TlsCacheTest : public SharedCacheTest {};

INSTANTIATE_TEST_SUITE_P(Servers, TlsCacheTest,
                         ::testing::Values(Kind::kHttps, Kind::kRedisWithTls), &NameOf);

TEST_P(TlsCacheTest, ServerNeedsTheRightAuthority) {
  Store(*Connect(), Function(1), "object");
  EXPECT_EQ(Find(*Connect(), Function(1)), "object");
  EXPECT_THAT(warnings_, IsEmpty());
  // The system's authorities do not know the server.
  EXPECT_EQ(Find(*Connect({{"ca-file", ""}}), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr("object cache '" + server_->Url()),
                                           HasSubstr("is not used: "), HasSubstr("certificate"))));
  EXPECT_EQ(Find(*Connect({{"ca-file", "/no/such"}}), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("certificate"), HasSubstr("/no/such")));
}

TEST_P(TlsCacheTest, ServerNeedsACertificateForItsName) {
  // The loopback has more addresses, and the certificate is for one of them.
  const std::string url =
      absl::StrReplaceAll(server_->Url(), {{"localhost", "127.0.0.1"}, {"127.0.0.1", "localhost"}});
  SharedCacheSettings settings = server_->Trust();
  settings.emplace_back("budget", "20000");
  const auto warn = [this](absl::string_view message) { warnings_.emplace_back(message); };
  EXPECT_EQ(Find(*OpenSharedCache(url, settings, nullptr, warn).value(), Function(1)), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
  const std::string other = absl::StrReplaceAll(
      server_->Url(), {{"localhost", "[::ffff:127.0.0.1]"}, {"127.0.0.1", "[::ffff:127.0.0.1]"}});
  EXPECT_EQ(Find(*OpenSharedCache(other, settings, nullptr, warn).value(), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("certificate")));
}

TEST_P(TlsCacheTest, ClientsShowCertificates) {
  server_ = CacheServer::Start(GetParam(), /*asks_certificate=*/true);
  EXPECT_EQ(Find(*Connect(), Function(1)), "(none)");
  EXPECT_THAT(warnings_,
              ElementsAre(AnyOf(HasSubstr("HTTP status 400"), HasSubstr("certificate required"),
                                HasSubstr("onnection reset"))));
  const SharedCacheSettings settings = {{"certificate-file", server_->Authority()},
                                        {"certificate-key-file", server_->Key()}};
  Store(*Connect(settings), Function(1), "object");
  EXPECT_EQ(Find(*Connect(settings), Function(1)), "object");
  EXPECT_THAT(warnings_, SizeIs(1));
}

}  // namespace
}  // namespace firstcall
