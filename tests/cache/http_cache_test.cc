// What the protocol makes different, against nginx, which keeps files (WebDAV), on loopback. What
// all servers have in common is in tests/cache/shared_cache_test.cc.

#include "cache/http_cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/curl_library.h"
#include "cache/disk_cache.h"
#include "cache/shared_packs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cache/stored_objects.h"
#include "tests/testing/nginx_server.h"
#include "tests/testing/patient_server.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

constexpr ModulePart kIndex{ModulePart::Kind::kIndex, SymbolOrdinal()};
constexpr ModulePart kStart{ModulePart::Kind::kStart, SymbolOrdinal()};

std::string ReadFile(const std::string& path) {
  std::ostringstream contents;
  contents << std::ifstream(path).rdbuf();
  return contents.str();
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::trunc) << bytes;
}

class HttpCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!NginxServer::IsInstalled()) GTEST_SKIP() << "nginx or openssl is not installed";
    if (!curl::Load().ok()) GTEST_SKIP() << curl::Load().status();
  }

  HttpCache::Options OptionsFor(const std::string& url) {
    HttpCache::Options options;
    options.address = HttpAddress::Parse(url).value();
    options.budget = absl::Seconds(20);
    options.warn = [this](absl::string_view message) { warnings_.emplace_back(message); };
    return options;
  }

  std::unique_ptr<HttpCache> Connect(const std::string& url, const std::string& key = "") {
    HttpCache::Options options = OptionsFor(url);
    options.key = key;
    return std::make_unique<HttpCache>(options);
  }

  // 100 of them are too many for a start pack with a start object.
  static std::string ObjectOf(uint32_t i) {
    return absl::StrCat("object ", i, std::string(2000, 'x'));
  }

  std::vector<std::string> warnings_;
};

TEST_F(HttpCacheTest, StartIsTwoRequestsAndFunctionsOfAStartObjectAreAThird) {
  NginxServer server;
  {
    std::unique_ptr<HttpCache> cache = Connect(server.Url());
    for (uint32_t i = 0; i < 100; ++i) Store(*cache, Function(i), ObjectOf(i));
    Store(*cache, OptimizedBody(7), "optimized");
    Store(*cache, kStart, "start");
  }
  server.TakeRequests();
  std::unique_ptr<HttpCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, OptimizedBody(7)), "optimized");
  EXPECT_EQ(Find(*cache, kStart), "start");
  EXPECT_EQ(Find(*cache, OptimizedBody(8)), "(none)");
  EXPECT_TRUE(Has(*cache, Function(99)));
  EXPECT_THAT(server.TakeRequests(), ElementsAre(MatchesRegex("GET /cache/ac/[0-9a-f]{64} 200"),
                                                 MatchesRegex("GET /cache/cas/[0-9a-f]{64} 200")));
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(Find(*cache, Function(i)), ObjectOf(i));
  EXPECT_EQ(Find(*cache, Function(100)), "(none)");
  EXPECT_THAT(server.TakeRequests(), SizeIs(1));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(HttpCacheTest, ModulesThatAreExpectedTogetherAreTwoBatches) {
  for (const bool has_tls : {false, true}) {
    NginxServer::Options tls;
    tls.has_tls = has_tls;
    NginxServer server(tls);
    std::vector<std::string> signatures;
    for (int i = 0; i < 20; ++i) signatures.push_back(absl::StrCat("signature ", i));
    const auto connect = [&] {
      HttpCache::Options options = OptionsFor(server.Url());
      if (has_tls) options.identity.ca_file = server.Authority();
      return std::make_unique<HttpCache>(options);
    };
    {
      std::unique_ptr<HttpCache> cache = connect();
      for (const std::string& signature : signatures) {
        Store(*cache, Function(1), signature, signature);
      }
    }
    server.TakeRequests();
    const int earlier_connections = server.ConnectionCount();
    std::unique_ptr<HttpCache> cache = connect();
    Expect(*cache, signatures);
    const std::vector<std::string> requests = server.TakeRequests();
    ASSERT_THAT(requests, SizeIs(40));
    for (size_t i = 0; i < requests.size(); ++i) {
      EXPECT_THAT(requests[i], AllOf(HasSubstr(i < 20 ? "/ac/" : "/cas/"), HasSubstr(" 200")));
    }
    for (const std::string& signature : signatures) {
      EXPECT_EQ(Find(*cache, Function(1), signature), signature);
    }
    EXPECT_THAT(server.TakeRequests(), IsEmpty());
    // HTTP/2 needs one connection only.
    EXPECT_LE(server.ConnectionCount() - earlier_connections,
              has_tls ? 1 : HttpConnection::kMostConnections);
    EXPECT_THAT(warnings_, IsEmpty());
  }
}

TEST_F(HttpCacheTest, RequestsDoNotWaitForAnswersToOthers) {
  PatientServer server(HttpConnection::kMostConnections, "\r\n\r\n",
                       "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  std::vector<std::string> signatures;
  // More of them than connections.
  for (int i = 0; i < 20; ++i) signatures.push_back(absl::StrCat("signature ", i));
  std::unique_ptr<HttpCache> cache =
      Connect(absl::StrCat("http://localhost:", server.port(), "/cache"));
  Expect(*cache, signatures);
  EXPECT_EQ(server.connections(), HttpConnection::kMostConnections);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(HttpCacheTest, FunctionThatAStartHasAskedForIsThereAtOnceForTheNextStart) {
  NginxServer server;
  {
    std::unique_ptr<HttpCache> cache = Connect(server.Url());
    for (uint32_t i = 0; i < 100; ++i) Store(*cache, Function(i), ObjectOf(i));
    Store(*cache, kStart, "start");
  }
  for (const size_t requests : {3, 2}) {
    server.TakeRequests();
    std::unique_ptr<HttpCache> cache = Connect(server.Url());
    EXPECT_EQ(Find(*cache, kStart), "start");
    EXPECT_EQ(Find(*cache, Function(5)), ObjectOf(5));
    EXPECT_THAT(server.TakeRequests(), SizeIs(requests));
  }
  server.TakeRequests();
  std::unique_ptr<HttpCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, Function(5)), ObjectOf(5));
  EXPECT_EQ(Find(*cache, Function(6)), ObjectOf(6));
  EXPECT_THAT(server.TakeRequests(), SizeIs(3));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(HttpCacheTest, OptimizedCodeOrAStartObjectAloneIsNoReasonToAsk) {
  NginxServer server;
  const std::string directory = ::testing::TempDir() + "/front_with_index";
  std::filesystem::remove_all(directory);
  {
    std::unique_ptr<DiskCache> front = DiskCache::Open(directory, {}).value();
    Store(*front, kIndex, "index");
  }
  HttpCache::Options options = OptionsFor(server.Url());
  options.front = DiskCache::Open(directory, {}).value();
  HttpCache cache(options);
  EXPECT_EQ(Find(cache, kIndex), "index");
  EXPECT_EQ(Find(cache, OptimizedBody(1)), "(none)");
  EXPECT_EQ(Find(cache, kStart), "(none)");
  EXPECT_THAT(server.TakeRequests(), IsEmpty());
  EXPECT_EQ(Find(cache, Function(1)), "(none)");
  EXPECT_THAT(server.TakeRequests(), SizeIs(1));
}

TEST_F(HttpCacheTest, FewEntriesOfALargePackAreFetchedAlone) {
  NginxServer server;
  {
    std::unique_ptr<HttpCache> cache = Connect(server.Url());
    for (uint32_t i = 0; i < 20; ++i) Store(*cache, Function(i), std::string(100000, 'a' + i));
    Store(*cache, kStart, "start");
  }
  server.TakeRequests();
  std::unique_ptr<HttpCache> cache = Connect(server.Url());
  EXPECT_EQ(Find(*cache, kStart), "start");
  EXPECT_EQ(Find(*cache, Function(5)), std::string(100000, 'f'));
  EXPECT_EQ(Find(*cache, Function(19)), std::string(100000, 't'));
  EXPECT_THAT(server.TakeRequests(), ElementsAre(HasSubstr("/ac/"), HasSubstr("/cas/"),
                                                 HasSubstr(" 206"), HasSubstr(" 206")));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(HttpCacheTest, LogsInByTokenUrlOrNetrc) {
  const std::string users = ::testing::TempDir() + "/users";
  WriteFile(users, "me:{PLAIN}secret\n");
  NginxServer::Options password;
  password.location = "auth_basic cache; auth_basic_user_file " + users + ";";
  NginxServer by_password(password);
  Store(*Connect(by_password.Url("me:secret@")), Function(1), "object");
  EXPECT_EQ(Find(*Connect(by_password.Url("me:secret@")), Function(1)), "object");
  const std::string netrc = ::testing::TempDir() + "/netrc";
  WriteFile(netrc, "machine localhost login me password secret\n");
  HttpCache::Options options = OptionsFor(by_password.Url());
  options.identity.netrc_file = netrc;
  EXPECT_EQ(Find(*std::make_unique<HttpCache>(options), Function(1)), "object");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Find(*Connect(by_password.Url("me:wrong@")), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("HTTP status 401")));

  NginxServer::Options token;
  token.location = "if ($http_authorization != \"Bearer abc\") { return 403; }";
  NginxServer by_token(token);
  warnings_.clear();
  options = OptionsFor(by_token.Url());
  options.identity.bearer_token = "abc";
  Store(*std::make_unique<HttpCache>(options), Function(1), "object");
  EXPECT_EQ(Find(*std::make_unique<HttpCache>(options), Function(1)), "object");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Find(*Connect(by_token.Url()), Function(1)), "(none)");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("HTTP status 403")));
}

TEST_F(HttpCacheTest, ServerThatRefusesEntriesIsStillRead) {
  NginxServer::Options reads;
  reads.location = "limit_except GET { deny all; }";
  NginxServer server(reads);
  NginxServer writable;
  Store(*Connect(writable.Url()), Function(1), "object");
  std::filesystem::copy(writable.Folder(), server.Folder(),
                        std::filesystem::copy_options::recursive);
  std::unique_ptr<HttpCache> cache = Connect(server.Url());
  for (uint32_t i = 2; i < 4; ++i) {
    Store(*cache, Function(i), "another");
    cache->Flush();
  }
  EXPECT_EQ(Find(*cache, Function(1)), "object");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("gets no new entries: HTTP status 403")));
}

TEST_F(HttpCacheTest, FilesCannotBeChangedMovedOrCutShort) {
  NginxServer server;
  {
    std::unique_ptr<HttpCache> cache = Connect(server.Url(), "the key");
    Store(*cache, Function(1), "object");
    Store(*cache, Function(2), "second");
  }
  const std::vector<std::string> files = server.Files();
  ASSERT_THAT(files, SizeIs(2));
  for (const std::string& file : files) {
    const std::string good = ReadFile(file);
    for (size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1);
      WriteFile(file, bad);
      EXPECT_THAT(Find(*Connect(server.Url(), "the key"), Function(1)),
                  ::testing::AnyOf("object", "(none)"));
      EXPECT_THAT(Find(*Connect(server.Url(), "the key"), Function(2)),
                  ::testing::AnyOf("second", "(none)"));
    }
    for (size_t size = 0; size < good.size(); size += 7) {
      WriteFile(file, good.substr(0, size));
      EXPECT_EQ(Find(*Connect(server.Url(), "the key"), Function(1)), "(none)");
    }
    WriteFile(file, good);
  }
  EXPECT_EQ(Find(*Connect(server.Url(), "the key"), Function(1)), "object");
  // The files of one signature in the places of another one.
  std::filesystem::copy(server.Folder() + "/" + ListPath("signature"),
                        server.Folder() + "/" + ListPath("other"));
  EXPECT_EQ(Find(*Connect(server.Url(), "the key"), Function(1), "other"), "(none)");
}

TEST_F(HttpCacheTest, DamagedFilesAreReplaced) {
  NginxServer server;
  Store(*Connect(server.Url()), Function(1), "object");
  for (const std::string& file : server.Files()) {
    WriteFile(file, "something else");
    warnings_.clear();
    EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "(none)");
    EXPECT_THAT(warnings_, SizeIs(1));
    Store(*Connect(server.Url()), Function(1), "object");
    warnings_.clear();
    EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "object");
    EXPECT_THAT(warnings_, IsEmpty());
  }
}

// nginx itself does not know the conditions of a PUT, so it is told how to answer.
TEST_F(HttpCacheTest, ListIsReplacedOnlyIfItIsTheOneThatWasRead) {
  NginxServer::Options conditions;
  conditions.location = R"(
      if (-f $request_filename) { set $state "old"; }
      if ($request_method = PUT) { set $state "$state put"; }
      if ($http_if_match = "") { set $state "$state unconditional"; }
      if ($uri ~ /cas/) { set $state "pack"; }
      if ($state = "old put unconditional") { return 412; })";
  NginxServer server(conditions);
  std::unique_ptr<HttpCache> one = Connect(server.Url());
  Store(*one, Function(1), "one");
  one->Flush();
  // The list that is there now has an ETag, which goes along.
  Store(*one, Function(2), "two");
  one->Flush();
  EXPECT_THAT(warnings_, IsEmpty());
  // A server whose copies are old: it says that there is no list, and then that there is one.
  NginxServer::Options lies = conditions;
  lies.location += "\n      if ($request_method = GET) { return 404; }";
  NginxServer old(lies);
  std::filesystem::copy(
      server.Folder(), old.Folder(),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  const std::string list = ReadFile(old.Folder() + "/" + ListPath("signature"));
  Store(*Connect(old.Url()), Function(3), "three");
  EXPECT_EQ(ReadFile(old.Folder() + "/" + ListPath("signature")), list);
  int refused = 0;
  for (const std::string& request : old.TakeRequests()) {
    if (absl::StrContains(request, "/ac/") && absl::EndsWith(request, " 412")) ++refused;
  }
  EXPECT_EQ(refused, 4);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(Find(*Connect(server.Url()), Function(2)), "two");
}

TEST_F(HttpCacheTest, PacksThatTheServerHasDroppedAreAMissAndComeAgain) {
  NginxServer server;
  Store(*Connect(server.Url()), Function(1), "object");
  std::filesystem::remove_all(server.Folder() + "/cas");
  EXPECT_EQ(Find(*Connect(server.Url()), Function(1)), "(none)");
  Store(*Connect(server.Url()), Function(2), "two");
  EXPECT_EQ(Find(*Connect(server.Url()), Function(2)), "two");
  EXPECT_THAT(warnings_, IsEmpty());
}

}  // namespace
}  // namespace firstcall
