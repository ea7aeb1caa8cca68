// Against a real server on loopback.

#include "cache/redis_cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/disk_cache.h"
#include "cache/redis_connection.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cache/stored_objects.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RedisCacheTest : public ::testing::Test {
 protected:
  std::unique_ptr<RedisCache> Connect(const std::string& url, const std::string& key = "",
                                      std::shared_ptr<ObjectCache> front = nullptr,
                                      absl::Duration budget = absl::Seconds(20)) {
    RedisCache::Options options;
    options.address = RedisAddress::Parse(url).value();
    options.key = key;
    options.front = std::move(front);
    options.budget = budget;
    options.warn = [this](absl::string_view message) { warnings_.emplace_back(message); };
    return std::make_unique<RedisCache>(std::move(options));
  }

  // What the server says to one command.
  static std::vector<RedisConnection::Reply> Ask(const RedisServer& server,
                                                 RedisConnection::Command command) {
    RedisConnection connection(RedisAddress::Parse(server.Url()).value());
    return connection.Run({std::move(command)}, absl::Seconds(20)).value();
  }

  static std::string OnlyHash(const RedisServer& server) {
    std::vector<RedisConnection::Reply> keys = Ask(server, {"KEYS", "*"});
    EXPECT_THAT(keys[0].elements, SizeIs(1));
    return keys[0].elements[0].text.value_or("");
  }

  std::vector<std::string> warnings_;
};

TEST_F(RedisCacheTest, OneFindsWhatAnotherStored) {
  RedisServer server;
  const std::string bytes("any \0 bytes\r\n", 13);
  {
    std::unique_ptr<RedisCache> cache = Connect(server.Url());
    EXPECT_EQ(Find(*cache, Function(1)), "(none)");
    Store(*cache, Function(1), bytes);
    Store(*cache, Function(2), "");
  }
  std::unique_ptr<RedisCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, Function(1)), bytes);
  EXPECT_EQ(Find(*cache, Function(2)), "");
  EXPECT_EQ(Find(*cache, Function(3)), "(none)");
  EXPECT_EQ(Find(*cache, Function(1), "other"), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, WithoutAFrontItKeepsWhatItHasReturnedAndWasGiven) {
  RedisServer server;
  Store(*Connect(server.Url()), Function(1), "one");
  std::unique_ptr<RedisCache> cache = Connect(server.Url());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Find(*cache, Function(1)), "one");
    EXPECT_TRUE(cache->Has({"a.bc", "signature", Function(1)}));
  }
  Store(*cache, Function(2), "two");
  EXPECT_EQ(Find(*cache, Function(2)), "two");
  cache->Flush();
  EXPECT_EQ(Find(*cache, Function(2)), "two");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, HandlerOfWarningsMayUseTheCache) {
  RedisCache* used = nullptr;
  RedisCache::Options options;
  options.address = RedisAddress::Parse("redis://127.0.0.1:1").value();
  options.warn = [&](absl::string_view message) {
    warnings_.emplace_back(message);
    EXPECT_EQ(Find(*used, Function(1)), "(none)");
  };
  RedisCache cache(std::move(options));
  used = &cache;
  EXPECT_EQ(Find(cache, Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is not used")));
}

TEST_F(RedisCacheTest, LargeSetsAreNotFetchedWhole) {
  RedisServer server;
  {
    std::unique_ptr<RedisCache> cache = Connect(server.Url());
    for (uint32_t i = 0; i < 5000; ++i) Store(*cache, Function(i), absl::StrCat("object ", i));
  }
  std::unique_ptr<RedisCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, Function(4321)), "object 4321");
  EXPECT_EQ(Find(*cache, Function(17)), "object 17");
  EXPECT_EQ(Find(*cache, Function(5000)), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, FrontIsAskedFirstAndKeepsWhatTheServerHad) {
  RedisServer server;
  const std::string directory = ::testing::TempDir() + "/front";
  std::filesystem::remove_all(directory);
  Store(*Connect(server.Url()), Function(1), "object");
  {
    std::shared_ptr<DiskCache> front = DiskCache::Open(directory, {}).value();
    std::unique_ptr<RedisCache> cache = Connect(server.Url(), "", front);
    EXPECT_EQ(Find(*cache, Function(1)), "object");
  }
  server.Kill();
  std::shared_ptr<DiskCache> front = DiskCache::Open(directory, {}).value();
  std::unique_ptr<RedisCache> cache = Connect(server.Url(), "", front);
  EXPECT_EQ(Find(*cache, Function(1)), "object");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, ServerThatIsNotThereIsOneWarning) {
  std::string url;
  {
    RedisServer server;
    url = server.Url();
  }
  std::unique_ptr<RedisCache> cache = Connect(url);
  EXPECT_EQ(Find(*cache, Function(1)), "(none)");
  Store(*cache, Function(1), "object");
  cache->Flush();
  EXPECT_EQ(Find(*cache, Function(2)), "(none)");
  EXPECT_THAT(warnings_,
              ElementsAre(AllOf(HasSubstr("object cache 'redis://127.0.0.1:"),
                                HasSubstr("is not used: "), HasSubstr("Connection refused"))));
}

TEST_F(RedisCacheTest, ServerThatGoesInTheMiddleIsOneWarning) {
  RedisServer server;
  for (uint32_t i = 0; i < 10; ++i) Store(*Connect(server.Url()), Function(i), "object");
  std::unique_ptr<RedisCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, Function(1)), "object");
  server.Kill();
  // What has been fetched is still there.
  EXPECT_EQ(Find(*cache, Function(2)), "object");
  EXPECT_EQ(Find(*cache, Function(1), "other"), "(none)");
  EXPECT_EQ(Find(*cache, Function(2), "other"), "(none)");
  Store(*cache, Function(1), "object", "other");
  cache->Flush();
  EXPECT_THAT(warnings_, SizeIs(1));
}

TEST_F(RedisCacheTest, LargeHashIsAskedForWhatItHas) {
  RedisServer server;
  {
    std::unique_ptr<RedisCache> cache = Connect(server.Url());
    for (uint32_t i = 0; i < 5000; ++i) Store(*cache, Function(i), "object");
    Store(*cache, OptimizedBody(7), "optimized");
    Store(*cache, Continuation(7, 1), "continuation");
  }
  std::unique_ptr<RedisCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, Function(4999)), "object");
  EXPECT_EQ(Find(*cache, OptimizedBody(7)), "optimized");
  EXPECT_EQ(Find(*cache, Continuation(7, 1)), "continuation");
  EXPECT_TRUE(Has(*cache, OptimizedBody(7)));
  EXPECT_FALSE(Has(*cache, OptimizedBody(8)));
  EXPECT_EQ(Find(*cache, OptimizedBody(8)), "(none)");
  EXPECT_EQ(Find(*cache, Continuation(7, 2)), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, ServerThatHangsCostsNoMoreThanTheBudget) {
  RedisServer server;
  std::unique_ptr<RedisCache> cache =
      Connect(server.Url(), "", nullptr, /*budget=*/absl::Milliseconds(200));
  EXPECT_EQ(Find(*cache, Function(1)), "(none)");
  server.Stop();
  const absl::Time start = absl::Now();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Find(*cache, Function(1), absl::StrCat("signature ", i)), "(none)");
    Store(*cache, Function(1), "object");
    cache->Flush();
  }
  EXPECT_LT(absl::Now() - start, absl::Seconds(2));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("no answer in time")));
  server.Continue();
}

TEST_F(RedisCacheTest, WithAKeyOnlyItsOwnersAreBelieved) {
  RedisServer server;
  Store(*Connect(server.Url(), "the key"), Function(1), "object");
  EXPECT_EQ(Find(*Connect(server.Url(), "the key"), Function(1)), "object");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Find(*Connect(server.Url(), "another key"), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("not written with this key")));
  EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "(none)");
}

TEST_F(RedisCacheTest, EntriesCannotBeChangedMovedOrCutShort) {
  RedisServer server;
  Store(*Connect(server.Url(), "the key"), Function(1), "object");
  const std::string hash = OnlyHash(server);
  const std::string good = Ask(server, {"HGET", hash, Function(1).ToString()})[0].text.value_or("");
  ASSERT_EQ(good.size(), 38u);
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    Ask(server, {"HSET", hash, Function(1).ToString(), bad});
    EXPECT_EQ(Find(*Connect(server.Url(), "the key"), Function(1)), "(none)") << at;
    Ask(server, {"HSET", hash, Function(1).ToString(), good.substr(0, at)});
    EXPECT_EQ(Find(*Connect(server.Url(), "the key"), Function(1)), "(none)") << at;
  }
  Ask(server, {"HSET", hash, Function(2).ToString(), good});
  EXPECT_EQ(Find(*Connect(server.Url(), "the key"), Function(2)), "(none)");
  Ask(server, {"HSET", hash, Function(1).ToString(), good});
  EXPECT_EQ(Find(*Connect(server.Url(), "the key"), Function(1)), "object");
}

TEST_F(RedisCacheTest, AnswersOfAnotherKindAreAWarning) {
  RedisServer server;
  Store(*Connect(server.Url()), Function(1), "object");
  const std::string hash = OnlyHash(server);
  Ask(server, {"DEL", hash});
  Ask(server, {"SET", hash, "no hash"});
  EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("WRONGTYPE")));
}

TEST_F(RedisCacheTest, LogsIn) {
  RedisServer server({"--requirepass", "secret"});
  Store(*Connect(server.Url("secret@")), Function(1), "object");
  EXPECT_EQ(Find(*Connect(server.Url("secret@")), Function(1)), "object");
  EXPECT_EQ(Find(*Connect(server.Url("default:secret@")), Function(1)), "object");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "(none)");
  EXPECT_EQ(Find(*Connect(server.Url("wrong@")), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("NOAUTH"), HasSubstr("WRONGPASS")));
}

TEST_F(RedisCacheTest, ServerForgetsWhatIsOld) {
  RedisServer server;
  Store(*Connect(server.Url()), Function(1), "object");
  EXPECT_EQ(Ask(server, {"TTL", OnlyHash(server)})[0].text, "604800");
}

TEST_F(RedisCacheTest, ForkedChildGoesOnWithoutTheServer) {
  RedisServer server;
  Store(*Connect(server.Url()), Function(1), "object");
  std::unique_ptr<RedisCache> cache = Connect(server.Url());
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
  EXPECT_EQ(Find(*cache, Function(1)), "object");
}

}  // namespace
}  // namespace firstcall
