// A worker's end, with a test as the server. With a real one: tests/engine/served_compiler_test.cc.

#include "services/server/server_link.h"

#include <sys/socket.h>

#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/coding.h"
#include "base/packets.h"
#include "base/steady_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/server/object_pack.h"
#include "services/server/protocol.h"
#include "tests/testing/socket_pair.h"

namespace firstcall {
namespace {

constexpr absl::Duration kLong = absl::Seconds(60);
constexpr ModulePart kFunction{ModulePart::Kind::kFunction, SymbolOrdinal{1}};

std::string PackWith(absl::string_view code) { return ObjectPack::Encode({{kFunction, code}}); }

// The server's end.
class TestServer {
 public:
  explicit TestServer(const File& socket) : socket_(socket.number()) {}

  // The next packet's body, which must be of this kind.
  std::string Receive(ServerMessage kind) const {
    const auto packet = ReceivePacket(socket_, SteadyNow() + kLong);
    EXPECT_TRUE(packet.ok()) << packet.status();
    if (!packet.ok()) return "";
    EXPECT_EQ(packet->bytes[0], static_cast<char>(kind));
    return packet->bytes.substr(1);
  }

  void Send(absl::string_view bytes) const { EXPECT_TRUE(SendPacket(socket_, bytes).ok()); }

  void SendNumber(uint64_t number) const {
    Encoder answer;
    answer.U64(number);
    Send(answer.bytes());
  }

  // Answers a question with a part of `pack`, which has the number.
  void SendPart(uint64_t number, absl::string_view pack, size_t part_size) const {
    const std::string question = Receive(ServerMessage::kRead);
    Decoder decoder(question);
    (void)decoder.U64();
    const uint64_t offset = decoder.U64();
    Encoder answer;
    answer.U64(number);
    answer.U64(pack.size());
    answer.Raw(pack.substr(offset, part_size));
    Send(answer.bytes());
  }

 private:
  const int socket_;
};

TEST(ServerLinkTest, ReadsAPackPartByPart) {
  const std::string code(300'000, 'c');
  const std::string pack = PackWith(code);
  SocketPair ends(SOCK_SEQPACKET);
  ServerLink link(ends.one.number(), kLong);
  std::thread server([&] {
    const TestServer test(ends.other);
    for (size_t sent = 0; sent < pack.size(); sent += 30'000) test.SendPart(7, pack, 30'000);
  });
  const auto read = link.Read("signature", 3);
  server.join();
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->number, 7u);
  EXPECT_EQ(*read->pack.Find(kFunction), code);
}

TEST(ServerLinkTest, ThereMayBeNothingToRead) {
  SocketPair ends(SOCK_SEQPACKET);
  ServerLink link(ends.one.number(), kLong);
  const TestServer test(ends.other);
  test.SendNumber(0);
  EXPECT_FALSE(link.Read("signature", 3).has_value());
  Encoder question;
  question.U64(3);
  question.U64(0);
  question.Raw("signature");
  EXPECT_EQ(test.Receive(ServerMessage::kRead), question.bytes());
}

TEST(ServerLinkTest, PartsOfTwoPacksAreNotPutTogether) {
  const std::string pack = PackWith(std::string(100'000, 'c'));
  SocketPair ends(SOCK_SEQPACKET);
  ServerLink link(ends.one.number(), kLong);
  std::thread server([&] {
    const TestServer test(ends.other);
    test.SendPart(7, pack, 30'000);
    // Meanwhile another worker has published one.
    for (int i = 0; i < 3; ++i) {
      (void)test.Receive(ServerMessage::kRead);
      test.SendNumber(0);
    }
    test.SendPart(8, PackWith("new"), 30'000);
  });
  EXPECT_FALSE(link.Read("signature", 0).has_value());
  const auto read = link.Read("signature", 0);
  server.join();
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read->pack.Find(kFunction), "new");
}

TEST(ServerLinkTest, ADamagedPackIsNotRead) {
  SocketPair ends(SOCK_SEQPACKET);
  ServerLink link(ends.one.number(), kLong);
  std::thread server([&] {
    const TestServer test(ends.other);
    test.SendPart(7, "no pack", 30'000);
    test.SendPart(8, PackWith("code"), 30'000);
  });
  EXPECT_FALSE(link.Read("signature", 0).has_value());
  EXPECT_TRUE(link.Read("signature", 0).has_value());
  server.join();
}

TEST(ServerLinkTest, PublishesAPackPartByPart) {
  const std::string pack = PackWith(std::string(300'000, 'c'));
  SocketPair ends(SOCK_SEQPACKET);
  ServerLink link(ends.one.number(), kLong);
  std::string received;
  std::thread server([&] {
    const TestServer test(ends.other);
    const std::string offer = test.Receive(ServerMessage::kPublish);
    Decoder decoder(offer);
    EXPECT_EQ(decoder.U64(), pack.size());
    EXPECT_EQ(decoder.rest(), "signature");
    test.Send("\1");
    while (received.size() < pack.size()) received += test.Receive(ServerMessage::kPart);
    test.SendNumber(9);
  });
  EXPECT_EQ(link.Publish("signature", pack), 9u);
  server.join();
  EXPECT_EQ(received, pack);
}

TEST(ServerLinkTest, SendsNoPackThatIsNotWanted) {
  SocketPair ends(SOCK_SEQPACKET);
  ServerLink link(ends.one.number(), kLong);
  const TestServer test(ends.other);
  test.Send(absl::string_view("\0", 1));
  EXPECT_EQ(link.Publish("signature", "pack"), 0u);
  (void)test.Receive(ServerMessage::kPublish);
  EXPECT_FALSE(WaitToRead(ends.other.number(), absl::ZeroDuration()));
}

// It would be taken for the answer to the next question, of another module.
TEST(ServerLinkTest, AnAnswerThatComesTooLateIsNotRead) {
  SocketPair ends(SOCK_SEQPACKET);
  ServerLink link(ends.one.number(), absl::Milliseconds(1));
  const TestServer test(ends.other);
  EXPECT_FALSE(link.Read("first", 0).has_value());
  test.SendPart(7, PackWith("code of the first module"), 30'000);
  EXPECT_FALSE(link.Read("second", 0).has_value());
  EXPECT_EQ(link.Publish("second", PackWith("code")), 0u);
}

}  // namespace
}  // namespace firstcall
