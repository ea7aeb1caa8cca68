#include "services/isolation/message_channel.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "base/coding.h"
#include "base/steady_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/socket_pair.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr absl::Duration kForEver = absl::InfiniteDuration();

// Channels take over the sockets.
std::pair<int, int> Sockets() {
  SocketPair sockets;
  return {sockets.one.Release(), sockets.other.Release()};
}

bool HasBytes(int socket) {
  char byte;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

TEST(MessageChannelTest, MessagesArriveAsTheyWereSent) {
  const auto [here, there] = Sockets();
  MessageChannel sender(here);
  MessageChannel receiver(there);
  // More than the socket holds, so that both sides wait.
  const std::string large(MessageChannel::kLargest, 'x');
  std::thread thread([&] {
    EXPECT_THAT(sender.Send(1, "", kForEver), IsOk());
    EXPECT_THAT(sender.Send(2, "bytes", kForEver), IsOk());
    EXPECT_THAT(sender.Send(3, large, kForEver), IsOk());
  });
  for (const auto& [kind, bytes] :
       {std::pair<uint32_t, std::string>{1, ""}, {2, "bytes"}, {3, large}}) {
    ASSERT_OK_AND_ASSIGN(const Message message, receiver.Receive(kForEver));
    EXPECT_EQ(message.kind, kind);
    EXPECT_TRUE(message.bytes == bytes);
  }
  thread.join();
}

TEST(MessageChannelTest, TooLargeAMessageIsNotSent) {
  const auto [here, there] = Sockets();
  MessageChannel sender(here);
  MessageChannel receiver(there);
  EXPECT_THAT(sender.Send(1, std::string(MessageChannel::kLargest + 1, 'x'), kForEver),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_FALSE(HasBytes(there));
}

TEST(MessageChannelTest, ADamagedLengthTakesNoMemory) {
  const auto [here, there] = Sockets();
  MessageChannel receiver(there);
  Encoder header;
  header.U64(1);
  header.U32(0xffffffff);
  ASSERT_EQ(write(here, header.bytes().data(), header.bytes().size()), 12);
  EXPECT_THAT(receiver.Receive(kForEver), StatusIs(absl::StatusCode::kInvalidArgument));
  close(here);
}

TEST(MessageChannelTest, WaitingEndsWhenTheTimeIsOver) {
  const auto [here, there] = Sockets();
  MessageChannel channel(here);
  EXPECT_THAT(channel.Receive(SteadyNow() + absl::Milliseconds(5)),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  // Nobody reads.
  EXPECT_THAT(channel.Send(1, std::string(MessageChannel::kLargest, 'x'),
                           SteadyNow() + absl::Milliseconds(5)),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  close(there);
}

// Otherwise messages without end would take time without end.
TEST(MessageChannelTest, TimeIsOverEvenIfThereIsAMessage) {
  const auto [here, there] = Sockets();
  MessageChannel sender(here);
  MessageChannel receiver(there);
  ASSERT_THAT(sender.Send(1, "bytes", kForEver), IsOk());
  EXPECT_THAT(receiver.Receive(SteadyNow()), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(sender.Send(1, "bytes", SteadyNow()), StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(MessageChannelTest, ACopyOfTheProcessDoesNotCloseTheChannel) {
  const auto [here, there] = Sockets();
  MessageChannel receiver(there);
  auto sender = std::make_unique<MessageChannel>(here);
  const pid_t copy = fork();
  if (copy == 0) {
    sender = nullptr;
    _exit(0);
  }
  ASSERT_EQ(waitpid(copy, nullptr, 0), copy);
  ASSERT_THAT(sender->Send(1, "bytes", kForEver), IsOk());
  EXPECT_THAT(receiver.Receive(kForEver), IsOk());
}

TEST(MessageChannelTest, WhatWasSentBeforeTheEndArrivesFirst) {
  const auto [here, there] = Sockets();
  MessageChannel receiver(here);
  {
    MessageChannel sender(there);
    ASSERT_THAT(sender.Send(7, "last", kForEver), IsOk());
  }
  ASSERT_OK_AND_ASSIGN(const Message message, receiver.Receive(kForEver));
  EXPECT_EQ(message.bytes, "last");
  EXPECT_THAT(receiver.Receive(kForEver), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(receiver.Send(1, "", kForEver), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(MessageChannelTest, AnEndWithinAMessageIsAnEnd) {
  const auto [here, there] = Sockets();
  MessageChannel receiver(here);
  ASSERT_EQ(write(there, "abc", 3), 3);
  close(there);
  EXPECT_THAT(receiver.Receive(kForEver), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(MessageChannelTest, NoticesTheEndOfAProcessWhoseSocketStaysOpen) {
  const auto [here, there] = Sockets();
  int notice[2];
  ASSERT_EQ(pipe(notice), 0);
  MessageChannel receiver(here, notice[0]);
  MessageChannel sender(there);
  ASSERT_THAT(sender.Send(1, "first", kForEver), IsOk());
  close(notice[1]);
  EXPECT_THAT(receiver.Receive(kForEver), IsOk());
  EXPECT_THAT(receiver.Receive(kForEver), StatusIs(absl::StatusCode::kUnavailable));
  close(notice[0]);
}

}  // namespace
}  // namespace firstcall
