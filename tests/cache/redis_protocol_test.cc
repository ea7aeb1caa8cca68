#include "cache/redis_protocol.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kList[] = "*4\r\n$3\r\na\0b\r\n:-12\r\n$-1\r\n*1\r\n+OK\r\n";

// The reply of `bytes`, which come `step` at a time, if it is complete.
std::optional<RedisReply> Read(absl::string_view bytes, size_t step) {
  RedisReplyReader reader(1000);
  std::optional<RedisReply> reply;
  while (!bytes.empty() && !reply) {
    EXPECT_THAT(reader.Feed(bytes.substr(0, step)), IsOk());
    bytes.remove_prefix(std::min(step, bytes.size()));
    reply = reader.Next().value();
  }
  EXPECT_TRUE(bytes.empty());
  return reply;
}

TEST(RedisProtocolTest, CommandsHaveAnyBytes) {
  ASSERT_OK_AND_ASSIGN(std::string bytes,
                       EncodeRedisCommand({"SET", std::string("\0\r\n", 3), ""}));
  EXPECT_EQ(bytes, std::string("*3\r\n$3\r\nSET\r\n$3\r\n\0\r\n\r\n$0\r\n\r\n", 28));
}

TEST(RedisProtocolTest, RepliesComeInAnyPieces) {
  const std::string list(kList, sizeof(kList) - 1);
  for (size_t step = 1; step <= list.size(); ++step) {
    std::optional<RedisReply> reply = Read(list, step);
    ASSERT_TRUE(reply.has_value());
    ASSERT_THAT(reply->elements, SizeIs(4));
    EXPECT_EQ(reply->elements[0].text, std::string("a\0b", 3));
    EXPECT_EQ(reply->elements[1].text, "-12");
    EXPECT_EQ(reply->elements[2].text, std::nullopt);
    ASSERT_THAT(reply->elements[3].elements, SizeIs(1));
    EXPECT_EQ(reply->elements[3].elements[0].text, "OK");
  }
  for (size_t size = 0; size < list.size(); ++size) {
    EXPECT_EQ(Read(list.substr(0, size), 100), std::nullopt) << size;
  }
}

TEST(RedisProtocolTest, ErrorsAreReplies) {
  std::optional<RedisReply> reply = Read("-ERR no\r\n", 100);
  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(reply->is_error);
  EXPECT_EQ(reply->text, "ERR no");
  EXPECT_FALSE(Read("+ERR no\r\n", 100)->is_error);
}

TEST(RedisProtocolTest, SeveralRepliesFollowEachOther) {
  RedisReplyReader reader(1000);
  EXPECT_THAT(reader.Feed("+a\r\n+b\r\n"), IsOk());
  EXPECT_EQ((*reader.Next())->text, "a");
  EXPECT_EQ((*reader.Next())->text, "b");
  EXPECT_EQ(*reader.Next(), std::nullopt);
}

TEST(RedisProtocolTest, WhatIsNoReplyOrTooLongIsRefused) {
  for (const std::string bad :
       {"?\r\n", "HTTP/1.1 400 Bad Request\r\n", "$x\r\n", "*100001\r\n", "*2147483647\r\n",
        "*99999999999999999999\r\n", "*1\r\n*2147483647\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n+\r\n"}) {
    RedisReplyReader reader(1000);
    EXPECT_THAT(reader.Feed(bad), IsOk());
    EXPECT_THAT(reader.Next().status(), StatusIs(absl::StatusCode::kUnavailable)) << bad;
  }
  RedisReplyReader reader(1000);
  EXPECT_THAT(reader.Feed("$2000\r\n"), IsOk());
  EXPECT_EQ(*reader.Next(), std::nullopt);
  EXPECT_THAT(reader.Feed(std::string(990, 'x')), IsOk());
  EXPECT_THAT(reader.Feed(std::string(10, 'x')),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("more than 1000 bytes")));
}

TEST(RedisProtocolTest, OnlyWhatHasBeenReadCounts) {
  RedisReplyReader reader(100);
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(reader.Feed("$50\r\n" + std::string(50, 'x') + "\r\n"), IsOk());
    EXPECT_EQ((*reader.Next())->text, std::string(50, 'x'));
  }
}

TEST(RedisRedirectionTest, IsTakenFromErrors) {
  std::optional<RedisRedirection> moved = RedisRedirection::Parse("MOVED 3999 10.0.0.1:6381");
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(moved->host, "10.0.0.1");
  EXPECT_EQ(moved->port, 6381);
  EXPECT_FALSE(moved->is_for_once);
  moved = RedisRedirection::Parse("ASK 1 2001:db8::1:1");
  ASSERT_TRUE(moved.has_value());
  EXPECT_EQ(moved->host, "2001:db8::1");
  EXPECT_EQ(moved->port, 1);
  EXPECT_TRUE(moved->is_for_once);
  EXPECT_EQ(RedisRedirection::Parse("MOVED 1 :6379")->host, "");
  for (const char* other : {"", "MOVED", "MOVED 1", "MOVED 1 h", "MOVED 1 h:0", "MOVED 1 h:65536",
                            "MOVED 1 h:1 2", "ERR MOVED 1 h:1"}) {
    EXPECT_EQ(RedisRedirection::Parse(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace firstcall
