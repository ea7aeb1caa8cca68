#include "services/server/lane.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/server/sealed_bytes.h"
#include "tests/testing/socket_pair.h"

namespace firstcall {
namespace {

struct LaneEnds {
  SocketPair pair;
  KeptFile one{std::move(pair.one)}, other{std::move(pair.other)};
};

TEST(LaneTest, CarriesMessagesAndAFile) {
  LaneEnds ends;
  Lane one(ends.one, absl::Seconds(30)), other(ends.other, absl::Seconds(30));
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
  LaneEnds ends;
  Lane one(ends.one, absl::Seconds(60)), other(ends.other, absl::Seconds(60));
  const std::string body(size_t{20} << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(one.Send(LaneMessage::kAnswer, body).ok()); });
  const auto message = other.Receive();
  sender.join();
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(message->body, body);
}

TEST(LaneTest, AClosedLaneIsAStatus) {
  LaneEnds ends;
  Lane one(ends.one, absl::Seconds(30));
  EXPECT_FALSE(one.IsClosed());
  ends.other.Close();
  EXPECT_TRUE(one.IsClosed());
  EXPECT_TRUE(absl::IsOutOfRange(one.Receive().status()));
  EXPECT_TRUE(absl::IsUnavailable(one.Send(LaneMessage::kReply, "x")));
}

TEST(LaneTest, WaitsNoLongerThanTheBudget) {
  LaneEnds ends;
  Lane one(ends.one, absl::Milliseconds(50));
  EXPECT_TRUE(absl::IsDeadlineExceeded(one.Receive().status()));
  // The other end never reads.
  EXPECT_TRUE(absl::IsDeadlineExceeded(one.Send(LaneMessage::kReply, std::string(20 << 20, 'x'))));
}

TEST(LaneTest, AProgramsSocketUnderTheSameNumberIsNotUsed) {
  LaneEnds ends, programs;
  Lane one(ends.one, absl::Seconds(30));
  const int number = ends.one.number();
  ASSERT_EQ(dup3(programs.one.number(), number, O_CLOEXEC), number);
  EXPECT_TRUE(absl::IsUnavailable(one.Send(LaneMessage::kReply, "x")));
  EXPECT_TRUE(absl::IsUnavailable(one.Receive().status()));
  char byte = 0;
  EXPECT_EQ(recv(programs.other.number(), &byte, 1, MSG_DONTWAIT), -1);
  close(number);
}

TEST(LaneTest, AHeaderThatClaimsTooMuchIsAnError) {
  LaneEnds ends;
  Lane one(ends.one, absl::Seconds(30));
  const std::string header = std::string("\x05\0\0\0\0\0\0\0", 8) + "\xff\xff\xff\xff";
  ASSERT_EQ(write(ends.other.number(), header.data(), header.size()), 12);
  EXPECT_TRUE(absl::IsInvalidArgument(one.Receive().status()));
}

}  // namespace
}  // namespace firstcall
