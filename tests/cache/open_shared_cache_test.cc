#include "cache/open_shared_cache.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cache/stored_objects.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Status Open(absl::string_view url, const SharedCacheSettings& settings) {
  return OpenSharedCache(url, settings, nullptr, nullptr).status();
}

std::string FileWith(const std::string& contents) {
  const std::string path = ::testing::TempDir() + "/setting";
  std::ofstream(path) << contents;
  return path;
}

TEST(OpenSharedCacheTest, OpensAllKindsOfServersWithoutConnecting) {
  const std::string word = FileWith(" word\n");
  setenv("TOKEN_FOR_TEST", "token", 1);
  EXPECT_EQ(absl::OkStatus(), Open("redis://h", {{"key-file", word}, {"budget", "5"}}));
  EXPECT_EQ(absl::OkStatus(), Open("rediss://me@h", {{"password-file", word},
                                                     {"most-pack-bytes", "2000"},
                                                     {"ca-file", "c"},
                                                     {"certificate-file", "c"},
                                                     {"certificate-key-file", "k"}}));
  EXPECT_EQ(absl::OkStatus(), Open("redis://h", {{"password-variable", "TOKEN_FOR_TEST"}}));
  EXPECT_EQ(absl::OkStatus(), Open("http://localhost:1/a", {}));
  EXPECT_EQ(absl::OkStatus(), Open("http://h/a", {{"plain-http", "yes"}}));
  EXPECT_EQ(absl::OkStatus(), Open("https://u:p@h:1/a", {{"key-file", word},
                                                         {"budget", "100"},
                                                         {"read-only", "yes"},
                                                         {"most-entry-bytes", "1000"},
                                                         {"most-pack-bytes", "2000"},
                                                         {"token-file", word},
                                                         {"token-variable", "TOKEN_FOR_TEST"},
                                                         {"netrc-file", "n"},
                                                         {"ca-file", "c"},
                                                         {"certificate-file", "c"},
                                                         {"certificate-key-file", "k"},
                                                         {"plain-http", "no"}}));
}

TEST(OpenSharedCacheTest, WhatCannotBeUsedIsSaid) {
  const auto is_invalid = [](const char* text) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text));
  };
  const std::string word = FileWith("word");
  EXPECT_THAT(Open("ftp://h", {}), is_invalid("none of https://, http://, rediss:// and redis://"));
  EXPECT_THAT(Open("http://u:secret@h/a", {}),
              is_invalid("object cache 'http://h/a': others can read and change"));
  EXPECT_THAT(Open("http://h/a", {{"plain-http", "no"}}), is_invalid("plain-http=yes"));
  EXPECT_THAT(Open("https://h", {{"ca", "c"}}), is_invalid("no setting 'ca'"));
  EXPECT_THAT(Open("redis://h", {{"ca-file", "c"}}), is_invalid("no setting 'ca-file'"));
  EXPECT_THAT(Open("rediss://h", {{"token-file", word}}), is_invalid("no setting 'token-file'"));
  EXPECT_THAT(Open("https://h", {{"password-file", word}}),
              is_invalid("no setting 'password-file'"));
  EXPECT_THAT(Open("redis://me:secret@h", {{"password-file", word}}),
              is_invalid("a password beside the one of a setting"));
  EXPECT_THAT(Open("https://h", {{"budget", "soon"}}), is_invalid("'budget=soon' needs a number"));
  EXPECT_THAT(Open("https://h", {{"read-only", "1"}}), is_invalid("needs yes or no"));
  EXPECT_THAT(Open("https://h", {{"most-pack-bytes", "-1"}}), is_invalid("needs a number"));
  EXPECT_THAT(Open("https://h", {{"key-file", FileWith(" \n")}}), is_invalid("has no key"));
  EXPECT_THAT(Open("https://h", {{"token-file", FileWith("a b")}}), is_invalid("not one word"));
  EXPECT_THAT(Open("https://h", {{"token-variable", "NO_SUCH_VARIABLE"}}),
              is_invalid("no variable 'NO_SUCH_VARIABLE'"));
  EXPECT_THAT(Open("https://h", {{"key-file", "/no/such"}}).message(),
              HasSubstr("cannot read '/no/such'"));
}

TEST(OpenSharedCacheTest, SettingsTakeEffect) {
  std::vector<std::string> warnings;
  const auto warn = [&](absl::string_view message) { warnings.emplace_back(message); };
  std::unique_ptr<SharedCache> cache =
      OpenSharedCache("http://127.0.0.1:1/a", {{"budget", "0"}, {"read-only", "yes"}}, nullptr,
                      warn)
          .value();
  EXPECT_FALSE(cache->keeps());
  EXPECT_EQ(Find(*cache, Function(1)), "(none)");
  EXPECT_THAT(warnings,
              ElementsAre(HasSubstr("'http://127.0.0.1:1/a' is not used: no answer in time")));
}

}  // namespace
}  // namespace firstcall
