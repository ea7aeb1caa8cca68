#include "cache/http_address.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HttpAddressTest, HostAloneIsEnough) {
  ASSERT_OK_AND_ASSIGN(HttpAddress address, HttpAddress::Parse("https://cache.example"));
  EXPECT_EQ(address.url, "https://cache.example");
  EXPECT_EQ(address.user, "");
  EXPECT_EQ(address.password, "");
  EXPECT_TRUE(address.is_secure);
  EXPECT_FALSE(address.is_loopback);
}

TEST(HttpAddressTest, EverythingMayBeGiven) {
  ASSERT_OK_AND_ASSIGN(HttpAddress address,
                       HttpAddress::Parse("http://m%40e:my:p@ss%2f@[::1]:8080/a/b%20c//"));
  EXPECT_EQ(address.url, "http://[::1]:8080/a/b%20c");
  EXPECT_EQ(address.user, "m@e");
  EXPECT_EQ(address.password, "my:p@ss/");
  EXPECT_FALSE(address.is_secure);
  EXPECT_TRUE(address.is_loopback);
}

TEST(HttpAddressTest, KnowsThisMachine) {
  for (const char* url :
       {"http://localhost", "http://LOCALHOST:1/x", "http://127.0.0.1", "http://127.9.9.9:2"}) {
    ASSERT_OK_AND_ASSIGN(HttpAddress address, HttpAddress::Parse(url));
    EXPECT_TRUE(address.is_loopback) << url;
  }
  for (const char* url : {"http://localhost.example", "http://127.0.0.1.example", "http://10.0.0.1",
                          "http://127.a", "http://[::2]", "http://u:p@h/localhost"}) {
    ASSERT_OK_AND_ASSIGN(HttpAddress address, HttpAddress::Parse(url));
    EXPECT_FALSE(address.is_loopback) << url;
  }
}

TEST(HttpAddressTest, OtherUrlsAreInvalidAndDoNotShowThePassword) {
  for (const char* url :
       {"", "ftp://h", "redis://h", "https://", "https:///a", "https://u:secret@/a",
        "https://u:secret@h:0", "https://h:70000", "https://u:secret@h:port",
        "https://u:secret%4@h", "https://u:secret%00@h", "https://u:secret/x@h/y",
        "https://u:secret@h/a b", "https://h/a?b", "https://h/a#b", "https://u:secret@h\r\nX: y",
        "https://h/\x7f"}) {
    EXPECT_THAT(HttpAddress::Parse(url),
                StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("secret"))))
        << url;
  }
}

}  // namespace
}  // namespace firstcall
