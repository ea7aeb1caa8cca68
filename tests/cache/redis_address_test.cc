#include "cache/redis_address.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RedisAddressTest, HostAloneHasDefaults) {
  ASSERT_OK_AND_ASSIGN(RedisAddress address, RedisAddress::Parse("redis://cache.example"));
  EXPECT_EQ(address.ToString(), "redis://cache.example:6379/0");
  EXPECT_EQ(address.user, "");
  EXPECT_EQ(address.password, "");
}

TEST(RedisAddressTest, EverythingMayBeGiven) {
  ASSERT_OK_AND_ASSIGN(RedisAddress address,
                       RedisAddress::Parse("redis://me:my:p@ss@127.0.0.1:7000/3"));
  EXPECT_EQ(address.ToString(), "redis://127.0.0.1:7000/3");
  EXPECT_EQ(address.user, "me");
  EXPECT_EQ(address.password, "my:p@ss");
  ASSERT_OK_AND_ASSIGN(address, RedisAddress::Parse("redis://secret@[::1]:7001/"));
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(address.port, 7001);
  EXPECT_EQ(address.user, "");
  EXPECT_EQ(address.password, "secret");
  ASSERT_OK_AND_ASSIGN(address, RedisAddress::Parse("redis://[::1]/2"));
  EXPECT_EQ(address.ToString(), "redis://[::1]:6379/2");
}

TEST(RedisAddressTest, OtherUrlsAreInvalidAndDoNotShowThePassword) {
  for (const char* url :
       {"", "http://h", "redis://", "redis://:secret@/1", "redis://:secret@h:0", "redis://h:70000",
        "redis://:secret@h:port/1", "redis://:secret@h/one", "redis://h/-1"}) {
    EXPECT_THAT(RedisAddress::Parse(url),
                StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("secret"))))
        << url;
  }
}

TEST(RedisAddressTest, TlsIsPartOfTheUrl) {
  ASSERT_OK_AND_ASSIGN(RedisAddress address, RedisAddress::Parse("rediss://me:secret@h"));
  EXPECT_EQ(address.ToString(), "rediss://h:6379/0");
  EXPECT_TRUE(address.is_secure);
  ASSERT_OK_AND_ASSIGN(address, RedisAddress::Parse("redis://h"));
  EXPECT_FALSE(address.is_secure);
}

TEST(RedisAddressTest, WithAPasswordFromElsewhereTheUrlHasAUserOrNone) {
  ASSERT_OK_AND_ASSIGN(RedisAddress address,
                       RedisAddress::ParseWithPassword("rediss://me@h:1/2", "secret"));
  EXPECT_EQ(address.ToString(), "rediss://h:1/2");
  EXPECT_EQ(address.user, "me");
  EXPECT_EQ(address.password, "secret");
  ASSERT_OK_AND_ASSIGN(address, RedisAddress::ParseWithPassword("redis://h", "secret"));
  EXPECT_EQ(address.user, "");
  EXPECT_EQ(address.password, "secret");
  EXPECT_THAT(RedisAddress::ParseWithPassword("redis://me:hidden@h", "secret"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("a password beside"), Not(HasSubstr("hidden")))));
}

}  // namespace
}  // namespace firstcall
