#include "base/message_stream.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "base/coding.h"
#include "base/steady_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/socket_pair.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr size_t kLongest = size_t{8} << 20;

class MessageStreamTest : public ::testing::Test {
 protected:
  absl::StatusOr<StreamMessage> Receive() { return ReceiveMessage(other_, kLongest, {}); }
  void SendBytes(const std::string& bytes) {
    ASSERT_EQ(send(one_.number(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }

  SocketPair pair_;
  KeptFile one_{std::move(pair_.one)}, other_{std::move(pair_.other)};
};

TEST_F(MessageStreamTest, MessagesArriveInTheirOrderWithTagsAndFiles) {
  const File file(open("/dev/null", O_RDONLY | O_CLOEXEC));
  // More than the socket holds, so that both sides wait.
  const std::string large(kLongest, 'x');
  std::thread sender([&] {
    EXPECT_THAT(SendMessage(one_, UINT64_MAX, "", kLongest, {}, file.number()), IsOk());
    EXPECT_THAT(SendMessage(one_, 2, "bytes", kLongest, {}), IsOk());
    EXPECT_THAT(SendMessage(one_, 3, large, kLongest, {}), IsOk());
  });
  ASSERT_OK_AND_ASSIGN(StreamMessage message, Receive());
  EXPECT_EQ(message.tag, UINT64_MAX);
  EXPECT_EQ(message.bytes, "");
  EXPECT_TRUE(message.file.is_open());
  ASSERT_OK_AND_ASSIGN(message, Receive());
  EXPECT_EQ(message.tag, 2u);
  EXPECT_EQ(message.bytes, "bytes");
  EXPECT_FALSE(message.file.is_open());
  ASSERT_OK_AND_ASSIGN(message, Receive());
  EXPECT_TRUE(message.bytes == large);
  sender.join();
}

TEST_F(MessageStreamTest, NothingOfTooLongAMessageIsSent) {
  EXPECT_THAT(
      SendMessage(one_, 1, std::string(kLongest + 1, 'x'), kLongest, {}),
      StatusIs(absl::StatusCode::kInvalidArgument, "a message of 8388609 bytes is too long"));
  ASSERT_THAT(SendMessage(one_, 2, "short", kLongest, {}), IsOk());
  ASSERT_OK_AND_ASSIGN(const StreamMessage message, Receive());
  EXPECT_EQ(message.bytes, "short");
}

TEST_F(MessageStreamTest, ALengthOverTheLimitIsAnError) {
  Encoder header;
  header.U64(1);
  header.U32(UINT32_MAX);
  SendBytes(header.bytes());
  EXPECT_THAT(Receive(), StatusIs(absl::StatusCode::kInvalidArgument,
                                  "a message of 4294967295 bytes is too long"));
}

TEST_F(MessageStreamTest, TheEndBetweenMessagesDiffersFromTheEndWithinOne) {
  ASSERT_THAT(SendMessage(one_, 1, "last", kLongest, {}), IsOk());
  one_.Close();
  EXPECT_THAT(Receive(), IsOk());
  EXPECT_THAT(Receive(), StatusIs(absl::StatusCode::kOutOfRange));
}

TEST_F(MessageStreamTest, AMessageThatBreaksOffIsAnError) {
  Encoder half;
  half.U64(1);
  half.U32(100);
  half.U64(0);
  SendBytes(half.bytes());
  one_.Close();
  EXPECT_THAT(Receive(),
              StatusIs(absl::StatusCode::kUnavailable, "the connection ended within a message"));
}

TEST_F(MessageStreamTest, WaitsNoLongerThanTheDeadline) {
  const StreamPatience soon = {SteadyNow() + absl::Milliseconds(5)};
  EXPECT_THAT(ReceiveMessage(other_, kLongest, soon),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  // Nobody reads.
  EXPECT_THAT(SendMessage(one_, 1, std::string(kLongest, 'x'), kLongest, soon),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

}  // namespace
}  // namespace firstcall
