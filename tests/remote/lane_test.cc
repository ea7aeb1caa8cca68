// Also of remote/packets.

#include "remote/lane.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "base/steady_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "remote/packets.h"
#include "remote/sealed_bytes.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

struct Ends {
  explicit Ends(int type = SOCK_STREAM) {
    int both[2];
    EXPECT_EQ(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, both), 0);
    one = File(both[0]);
    other = File(both[1]);
  }
  File one, other;
};

TEST(LaneTest, CarriesMessagesAndAFile) {
  Ends ends;
  Lane one(ends.one.number(), absl::Seconds(30)), other(ends.other.number(), absl::Seconds(30));
  const auto file = SealBytes("contents");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(one.Send(LaneMessage::kAdd, "body", file->number()).ok());
  ASSERT_TRUE(one.Send(LaneMessage::kReply, "").ok());
  auto message = other.Receive();
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(message->kind, LaneMessage::kAdd);
  EXPECT_EQ(message->body, "body");
  EXPECT_EQ((*MapSealedBytes(message->file))->bytes(), "contents");
  message = other.Receive();
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(message->kind, LaneMessage::kReply);
  EXPECT_FALSE(message->file.is_open());
}

TEST(LaneTest, CarriesWhatIsLongerThanTheSocketsBuffer) {
  Ends ends;
  Lane one(ends.one.number(), absl::Seconds(60)), other(ends.other.number(), absl::Seconds(60));
  const std::string body(size_t{20} << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(one.Send(LaneMessage::kAnswer, body).ok()); });
  const auto message = other.Receive();
  sender.join();
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(message->body, body);
}

TEST(LaneTest, AClosedLaneIsAStatus) {
  Ends ends;
  Lane one(ends.one.number(), absl::Seconds(30));
  EXPECT_FALSE(one.IsClosed());
  ends.other.Close();
  EXPECT_TRUE(one.IsClosed());
  EXPECT_TRUE(absl::IsOutOfRange(one.Receive().status()));
  EXPECT_TRUE(absl::IsUnavailable(one.Send(LaneMessage::kReply, "x")));
}

TEST(LaneTest, WaitsNoLongerThanTheBudget) {
  Ends ends;
  Lane one(ends.one.number(), absl::Milliseconds(50));
  EXPECT_TRUE(absl::IsDeadlineExceeded(one.Receive().status()));
  // The other end never reads.
  EXPECT_TRUE(absl::IsDeadlineExceeded(one.Send(LaneMessage::kReply, std::string(20 << 20, 'x'))));
}

TEST(LaneTest, AHeaderThatClaimsTooMuchIsAnError) {
  Ends ends;
  Lane one(ends.one.number(), absl::Seconds(30));
  ASSERT_EQ(write(ends.other.number(), "\x05\xff\xff\xff\xff", 5), 5);
  EXPECT_TRUE(absl::IsInvalidArgument(one.Receive().status()));
}

TEST(PacketsTest, CarryFiles) {
  Ends ends(SOCK_SEQPACKET);
  const auto file = SealBytes("contents");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(SendPacket(ends.one.number(), "ab", {file->number(), file->number()}).ok());
  ASSERT_TRUE(SendPacket(ends.one.number(), "c").ok());
  auto packet = ReceivePacket(ends.other.number(), absl::InfiniteDuration());
  ASSERT_TRUE(packet.ok()) << packet.status();
  EXPECT_EQ(packet->bytes, "ab");
  ASSERT_EQ(packet->files.size(), 2u);
  EXPECT_NE(fcntl(packet->files[1].number(), F_GETFD) & FD_CLOEXEC, 0);
  packet = ReceivePacket(ends.other.number(), absl::InfiniteDuration());
  ASSERT_TRUE(packet.ok());
  EXPECT_EQ(packet->bytes, "c");
  EXPECT_TRUE(packet->files.empty());
}

TEST(PacketsTest, NothingComesAfterTheEnd) {
  Ends ends(SOCK_SEQPACKET);
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      ReceivePacket(ends.one.number(), SteadyNow() + absl::Milliseconds(20)).status()));
  ends.other.Close();
  EXPECT_TRUE(
      absl::IsOutOfRange(ReceivePacket(ends.one.number(), absl::InfiniteDuration()).status()));
  EXPECT_TRUE(absl::IsUnavailable(SendPacket(ends.one.number(), "x")));
}

}  // namespace
}  // namespace firstcall
