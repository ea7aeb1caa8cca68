#include "base/packets.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/time/time.h"
#include "base/file.h"
#include "base/steady_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/socket_pair.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr absl::Duration kForEver = absl::InfiniteDuration();

class PacketsTest : public ::testing::Test {
 protected:
  SocketPair sockets_{SOCK_SEQPACKET};
  File& one_ = sockets_.one;
  File& other_ = sockets_.other;
};

TEST_F(PacketsTest, CarryFiles) {
  ASSERT_THAT(SendPacket(one_.number(), "ab", {STDERR_FILENO, one_.number()}), IsOk());
  ASSERT_THAT(SendPacket(one_.number(), "c"), IsOk());
  ASSERT_OK_AND_ASSIGN(const Packet first, ReceivePacket(other_.number(), kForEver));
  EXPECT_EQ(first.bytes, "ab");
  ASSERT_EQ(first.files.size(), 2u);
  EXPECT_NE(fcntl(first.files[1].number(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_OK_AND_ASSIGN(const Packet second, ReceivePacket(other_.number(), kForEver));
  EXPECT_EQ(second.bytes, "c");
  EXPECT_TRUE(second.files.empty());
}

TEST_F(PacketsTest, NothingComesAfterTheEnd) {
  EXPECT_THAT(ReceivePacket(one_.number(), SteadyNow() + absl::Milliseconds(20)),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  other_.Close();
  EXPECT_THAT(ReceivePacket(one_.number(), kForEver), StatusIs(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(SendPacket(one_.number(), "x"), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(PacketsTest, WhatIsTooLongIsAnError) {
  const std::string longest(kLargestPacket, 'x');
  ASSERT_THAT(SendPacket(one_.number(), longest), IsOk());
  ASSERT_THAT(SendPacket(one_.number(), longest + "x"), IsOk());
  ASSERT_OK_AND_ASSIGN(const Packet packet, ReceivePacket(other_.number(), kForEver));
  EXPECT_EQ(packet.bytes, longest);
  EXPECT_THAT(ReceivePacket(other_.number(), kForEver),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(PacketsTest, ASenderDoesNotWaitForAReaderWhoDoesNotRead) {
  absl::Status status;
  for (int i = 0; i < 100'000 && status.ok(); ++i) status = SendPacket(one_.number(), "x");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(PacketsTest, WaitsUntilThereIsSomethingToRead) {
  EXPECT_FALSE(WaitToRead(one_.number(), SteadyNow() + absl::Milliseconds(1)));
  ASSERT_THAT(SendPacket(other_.number(), "x"), IsOk());
  EXPECT_TRUE(WaitToRead(one_.number(), kForEver));
  ASSERT_THAT(ReceivePacket(one_.number(), kForEver), IsOk());
  other_.Close();
  EXPECT_TRUE(WaitToRead(one_.number(), kForEver));
}

}  // namespace
}  // namespace firstcall
