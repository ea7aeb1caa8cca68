// What the protocol makes different, against real servers on loopback. What all servers have in
// common is in tests/cache/shared_cache_test.cc.

#include "cache/redis_cache.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "cache/open_shared_cache.h"
#include "cache/openssl_library.h"
#include "cache/redis_connection.h"
#include "cache/shared_packs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cache/stored_objects.h"
#include "tests/testing/patient_server.h"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr ModulePart kStart{ModulePart::Kind::kStart, SymbolOrdinal()};

// The key of the hash of a signature.
std::string HashOf(absl::string_view signature) {
  return absl::StrCat("firstcall:3:{", ListPath(signature).substr(3), "}");
}

// Of the signature that most tests use.
std::string Hash() { return HashOf("signature"); }

class RedisCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::IsInstalled()) GTEST_SKIP() << "redis-server or openssl is not installed";
  }

  std::unique_ptr<SharedCache> Connect(const std::string& url,
                                       const SharedCacheSettings& settings = {}) {
    SharedCacheSettings all = {{"budget", "20000"}};
    all.insert(all.end(), settings.begin(), settings.end());
    return OpenSharedCache(url, all, nullptr,
                           [this](absl::string_view message) { warnings_.emplace_back(message); })
        .value();
  }

  // What the server says to one command.
  static RedisReply Ask(const RedisServer& server, RedisCommand command,
                        const std::string& login = "") {
    RedisConnection connection(RedisAddress::Parse(server.Url(login)).value(), {}, 64 << 20);
    return connection.Run({{std::move(command), ""}}, absl::Seconds(20)).front().value();
  }

  // The names of the commands of caches that the server has executed since the last call, with
  // their counts, as "hmget 1".
  static std::vector<std::string> TakeCommands(const RedisServer& server) {
    const std::string text = *Ask(server, {"INFO", "commandstats"}).text;
    Ask(server, {"CONFIG", "RESETSTAT"});
    std::vector<std::string> commands;
    for (const absl::string_view line : absl::StrSplit(text, "\r\n")) {
      std::vector<absl::string_view> words = absl::StrSplit(line, absl::ByAnyChar("_:=,"));
      if (words.size() < 4 || words[0] != "cmdstat") continue;
      for (const char* own : {"hmget", "get", "getrange", "eval", "auth", "select"}) {
        if (words[1] == own) commands.push_back(absl::StrCat(words[1], " ", words[3]));
      }
    }
    return commands;
  }

  static std::string FileWith(const std::string& name, const std::string& contents) {
    const std::string path = absl::StrCat(::testing::TempDir(), "/", name);
    std::ofstream(path) << contents;
    return path;
  }

  std::vector<std::string> warnings_;
};

TEST_F(RedisCacheTest, StartIsOneCommand) {
  RedisServer server;
  const auto object = [](uint32_t i) { return absl::StrCat("object ", i, std::string(2000, 'x')); };
  {
    std::unique_ptr<SharedCache> cache = Connect(server.Url());
    for (uint32_t i = 0; i < 100; ++i) Store(*cache, Function(i), object(i));
    Store(*cache, kStart, "start");
  }
  EXPECT_THAT(TakeCommands(server), UnorderedElementsAre("hmget 1", "eval 1"));
  std::unique_ptr<SharedCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, kStart), "start");
  EXPECT_EQ(Find(*cache, OptimizedBody(8)), "(none)");
  EXPECT_THAT(TakeCommands(server), ElementsAre("hmget 1"));
  // The second pack has no more than a megabyte.
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(Find(*cache, Function(i)), object(i));
  EXPECT_EQ(Find(*cache, Function(100)), "(none)");
  EXPECT_THAT(TakeCommands(server), ElementsAre("get 1"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, CommandsDoNotWaitForAnswersToOthers) {
  PatientServer server(50, "HMGET", "*2\r\n$-1\r\n$-1\r\n");
  std::vector<std::string> signatures;
  // More of them than are written at once.
  for (int i = 0; i < 1000; ++i) signatures.push_back(absl::StrCat("signature ", i));
  std::unique_ptr<SharedCache> cache = Connect(absl::StrCat("redis://127.0.0.1:", server.port()));
  Expect(*cache, signatures);
  EXPECT_EQ(server.connections(), 1);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, AnswerThatIsTooLongHarmsNoOther) {
  RedisServer server;
  const std::vector<std::string> signatures = {"a", "b", "c", "d"};
  for (const std::string& signature : signatures) {
    Store(*Connect(server.Url()), Function(1), signature, signature);
  }
  // For the longest pack that is allowed, and what comes with it.
  Ask(server, {"HSET", HashOf("b"), "start", std::string(300000, 'x')});
  std::unique_ptr<SharedCache> cache = Connect(server.Url(), {{"most-pack-bytes", "1000"}});
  Expect(*cache, signatures);
  EXPECT_EQ(Find(*cache, Function(1), "b"), "(none)");
  for (const char* other : {"a", "c", "d"}) EXPECT_EQ(Find(*cache, Function(1), other), other);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("an answer has more than")));
}

TEST_F(RedisCacheTest, WritersAtTheSameTimeAreMerged) {
  RedisServer server;
  // Each loses to each other one once at most, and has four attempts.
  std::vector<std::thread> writers;
  std::vector<std::unique_ptr<SharedCache>> caches;
  for (int i = 0; i < 4; ++i) caches.push_back(Connect(server.Url()));
  for (uint32_t i = 0; i < caches.size(); ++i) {
    writers.emplace_back([i, &cache = *caches[i]] {
      Store(cache, Function(i), absl::StrCat("object ", i));
      cache.Flush();
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::unique_ptr<SharedCache> cache = Connect(server.Url());
  for (uint32_t i = 0; i < caches.size(); ++i) {
    EXPECT_EQ(Find(*cache, Function(i)), absl::StrCat("object ", i));
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, KeysExpireAndAnOldSecondPackDoesSoon) {
  RedisServer server;
  const auto lifetimes = [&] {
    std::vector<std::string> found;
    for (const RedisReply& key : Ask(server, {"KEYS", "*"}).elements) {
      const std::string lifetime = *Ask(server, {"TTL", *key.text}).text;
      EXPECT_TRUE(absl::StartsWith(*key.text, Hash())) << *key.text;
      found.push_back(absl::StrCat(*key.text == Hash() ? "hash " : "pack ", lifetime));
    }
    return found;
  };
  const auto about = [](const std::string& key, int seconds) {
    return AnyOf(absl::StrCat(key, " ", seconds), absl::StrCat(key, " ", seconds - 1),
                 absl::StrCat(key, " ", seconds - 2), absl::StrCat(key, " ", seconds - 3));
  };
  Store(*Connect(server.Url()), Function(1), std::string(200000, 'x'));
  EXPECT_THAT(lifetimes(), ElementsAre(about("hash", 604800)));
  Store(*Connect(server.Url()), kStart, "start");
  EXPECT_THAT(lifetimes(), UnorderedElementsAre(about("hash", 604800), about("pack", 604800)));
  Store(*Connect(server.Url()), kStart, "another start");
  EXPECT_THAT(lifetimes(), UnorderedElementsAre(about("hash", 604800), about("pack", 604800)));
  Store(*Connect(server.Url()), Function(1), std::string(200000, 'y'));
  EXPECT_THAT(lifetimes(), UnorderedElementsAre(about("hash", 604800), about("pack", 604800),
                                                about("pack", 60)));
}

TEST_F(RedisCacheTest, NothingCanBeChangedMovedOrCutShort) {
  RedisServer server;
  const SharedCacheSettings with_key = {{"key-file", FileWith("key", "the key")}};
  {
    std::unique_ptr<SharedCache> cache = Connect(server.Url(), with_key);
    Store(*cache, Function(1), "object");
    Store(*cache, Function(2), "second");
  }
  const auto found = [&](uint32_t i) {
    return Find(*Connect(server.Url(), with_key), Function(i));
  };
  for (const char* field : {"list", "start"}) {
    const std::string good = *Ask(server, {"HGET", Hash(), field}).text;
    for (size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1);
      Ask(server, {"HSET", Hash(), field, bad});
      EXPECT_THAT(found(1), AnyOf("object", "(none)")) << field << " " << at;
      EXPECT_THAT(found(2), AnyOf("second", "(none)")) << field << " " << at;
    }
    for (size_t size = 0; size < good.size(); size += 7) {
      Ask(server, {"HSET", Hash(), field, good.substr(0, size)});
      EXPECT_EQ(found(1), "(none)") << field << " " << size;
    }
    Ask(server, {"HDEL", Hash(), field});
    EXPECT_EQ(found(1), "(none)");
    Ask(server, {"HSET", Hash(), field, good});
  }
  EXPECT_EQ(found(1), "object");
  Ask(server, {"COPY", Hash(), HashOf("other")});
  warnings_.clear();
  EXPECT_EQ(Find(*Connect(server.Url(), with_key), Function(1), "other"), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("not written with this key")));
}

TEST_F(RedisCacheTest, DamageIsReplaced) {
  RedisServer server;
  for (const char* field : {"list", "start"}) {
    Store(*Connect(server.Url()), Function(1), "object");
    Ask(server, {"HSET", Hash(), field, "something else"});
    warnings_.clear();
    EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "(none)");
    EXPECT_THAT(warnings_, SizeIs(1));
    Store(*Connect(server.Url()), Function(1), "object");
    warnings_.clear();
    EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "object");
    EXPECT_THAT(warnings_, IsEmpty());
  }
}

TEST_F(RedisCacheTest, SecondPackThatWasDroppedIsAMissAndComesAgain) {
  RedisServer server;
  {
    std::unique_ptr<SharedCache> cache = Connect(server.Url());
    for (uint32_t i = 0; i < 20; ++i) Store(*cache, Function(i), std::string(100000, 'a' + i));
    Store(*cache, kStart, "start");
  }
  for (const RedisReply& key : Ask(server, {"KEYS", Hash() + ":*"}).elements) {
    Ask(server, {"DEL", *key.text});
  }
  std::unique_ptr<SharedCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, kStart), "start");
  EXPECT_EQ(Find(*cache, Function(3)), "(none)");
  Store(*cache, Function(3), "again");
  cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, Function(3)), "again");
  EXPECT_EQ(Find(*cache, kStart), "start");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, AnswersOfAnotherKindAreAWarning) {
  RedisServer server;
  Ask(server, {"SET", Hash(), "no hash"});
  EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("WRONGTYPE")));
}

TEST_F(RedisCacheTest, ConnectionThatTheServerHasClosedIsMadeAgain) {
  RedisServer server;
  Store(*Connect(server.Url()), Function(1), "object", "other");
  std::unique_ptr<SharedCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, Function(1)), "(none)");
  Ask(server, {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  EXPECT_EQ(Find(*cache, Function(1), "other"), "object");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, LogsIn) {
  RedisServer::Options options;
  options.more = {"--requirepass", "secret"};
  RedisServer server(options);
  Store(*Connect(server.Url("secret@")), Function(1), "object");
  EXPECT_EQ(Find(*Connect(server.Url("secret@")), Function(1)), "object");
  EXPECT_EQ(Find(*Connect(server.Url("default:secret@")), Function(1)), "object");
  const std::string file = FileWith("password", "secret\n");
  EXPECT_EQ(Find(*Connect(server.Url(), {{"password-file", file}}), Function(1)), "object");
  EXPECT_EQ(Find(*Connect(server.Url("default@"), {{"password-file", file}}), Function(1)),
            "object");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "(none)");
  EXPECT_EQ(Find(*Connect(server.Url("wrong@")), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("NOAUTH"), HasSubstr("WRONGPASS")));
}

// The rules of these users are those of docs/cache.md.
TEST_F(RedisCacheTest, UsersNeedNoMoreThanTheirRules) {
  RedisServer server;
  Ask(server, {"ACL", "SETUSER", "writer", "on", ">w", "~firstcall:3:*", "+select", "+hmget",
               "+get", "+getrange", "+eval", "+hget", "+hset", "+set", "+expire"});
  Ask(server, {"ACL", "SETUSER", "reader", "on", ">r", "~firstcall:3:*", "+select", "+hmget",
               "+get", "+getrange"});
  Ask(server, {"ACL", "SETUSER", "default", "off"});
  const auto writer = [&] {
    return Connect(server.Url("writer@"), {{"password-file", FileWith("writer", "w")}});
  };
  const auto object = [](uint32_t i) { return std::string(100000, 'a' + i); };
  {
    std::unique_ptr<SharedCache> cache = writer();
    for (uint32_t i = 0; i < 20; ++i) Store(*cache, Function(i), object(i));
    Store(*cache, kStart, "start");
  }
  std::unique_ptr<SharedCache> cache = writer();
  EXPECT_EQ(Find(*cache, Function(5)), object(5));
  Store(*cache, Function(20), object(20));
  cache->Flush();
  EXPECT_THAT(warnings_, IsEmpty());
  setenv("READER_FOR_TEST", "r", 1);
  cache = Connect(server.Url("reader@"), {{"password-variable", "READER_FOR_TEST"}});
  EXPECT_EQ(Find(*cache, kStart), "start");
  EXPECT_EQ(Find(*cache, Function(6)), object(6));
  EXPECT_THAT(warnings_, IsEmpty());
  for (uint32_t i = 30; i < 32; ++i) {
    Store(*cache, Function(i), "another");
    cache->Flush();
  }
  EXPECT_EQ(Find(*cache, Function(7)), object(7));
  EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr("gets no new entries"), HasSubstr("NOPERM"))));
}

TEST_F(RedisCacheTest, ServerWithoutMemoryIsStillRead) {
  RedisServer server;
  Store(*Connect(server.Url()), Function(1), "object");
  Ask(server, {"CONFIG", "SET", "maxmemory", "1"});
  std::unique_ptr<SharedCache> cache = Connect(server.Url());
  Store(*cache, Function(2), "another");
  cache->Flush();
  EXPECT_EQ(Find(*cache, Function(1)), "object");
  EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr("gets no new entries"), HasSubstr("OOM"))));
}

TEST_F(RedisCacheTest, DatabaseIsTheOneOfTheUrl) {
  RedisServer server;
  const std::string url = absl::StrCat("redis://127.0.0.1:", server.port());
  Store(*Connect(url + "/3"), Function(1), "object");
  EXPECT_EQ(Find(*Connect(url + "/3"), Function(1)), "object");
  EXPECT_EQ(Find(*Connect(url), Function(1)), "(none)");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Find(*Connect(url + "/99"), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("DB index is out of range")));
}

TEST_F(RedisCacheTest, ClusterWithTlsIsFollowed) {
  if (!openssl::Load().ok()) GTEST_SKIP() << openssl::Load().status();
  RedisServer::Options tls;
  tls.has_tls = true;
  tls.asks_certificate = true;
  RedisCluster cluster(tls);
  const RedisServer& server = cluster.server(0);
  const SharedCacheSettings settings = {{"ca-file", server.Authority()},
                                        {"certificate-file", server.Authority()},
                                        {"certificate-key-file", server.Key()}};
  const auto signature = [](int i) { return absl::StrCat("signature ", i); };
  {
    std::unique_ptr<SharedCache> cache = Connect(server.Url(), settings);
    for (int i = 0; i < 10; ++i) Store(*cache, Function(1), absl::StrCat(i), signature(i));
  }
  std::unique_ptr<SharedCache> cache = Connect(server.Url(), settings);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Find(*cache, Function(1), signature(i)), absl::StrCat(i));
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, PasswordGoesAlongInACluster) {
  RedisCluster cluster;
  for (int i = 0; i < 3; ++i) {
    Ask(cluster.server(i), {"CONFIG", "SET", "requirepass", "secret"});
  }
  const std::string url = cluster.server(1).Url("secret@");
  const auto signature = [](int i) { return absl::StrCat("signature ", i); };
  for (int i = 0; i < 10; ++i) Store(*Connect(url), Function(1), absl::StrCat(i), signature(i));
  std::unique_ptr<SharedCache> cache = Connect(url);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Find(*cache, Function(1), signature(i)), absl::StrCat(i));
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(RedisCacheTest, KeysThatMoveBetweenServersOfAClusterAreFound) {
  RedisCluster cluster;
  const int slot = std::stoi(*Ask(cluster.server(0), {"CLUSTER", "KEYSLOT", Hash()}).text);
  const int owner = slot / (16384 / 3 + 1);
  const RedisServer& from = cluster.server(owner);
  const RedisServer& to = cluster.server((owner + 1) % 3);
  const std::string number = absl::StrCat(slot);
  Ask(to, {"CLUSTER", "SETSLOT", number, "IMPORTING", *Ask(from, {"CLUSTER", "MYID"}).text});
  Ask(from, {"CLUSTER", "SETSLOT", number, "MIGRATING", *Ask(to, {"CLUSTER", "MYID"}).text});
  // From now on, the old server answers for keys that it does not have: ASK.
  for (int i = 0; i < 3; ++i) {
    const std::string url = cluster.server(i).Url();
    const std::string object = absl::StrCat("object ", i);
    std::unique_ptr<SharedCache> cache = Connect(url);
    Store(*cache, Function(1), object);
    cache = Connect(url);
    EXPECT_EQ(Find(*cache, Function(1)), object);
  }
  EXPECT_EQ(*Ask(from, {"CLUSTER", "COUNTKEYSINSLOT", number}).text, "0");
  EXPECT_EQ(*Ask(to, {"CLUSTER", "COUNTKEYSINSLOT", number}).text, "1");
  EXPECT_THAT(warnings_, IsEmpty());
}

}  // namespace
}  // namespace firstcall
