// What a compile server says of modules that it does not know. With clients that compile:
// tests/engine/served_compiler_test.cc.

#include "remote/compile_server.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/coding.h"
#include "base/packets.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"
#include "remote/client_socket.h"
#include "remote/protocol.h"
#include "tests/remote/local_server.h"

namespace firstcall {
namespace {

// Asks what is known of a module that nobody has, and can wait so long for others.
std::unique_ptr<ClientSocket> AskForUnknown(const LocalServer& server, absl::Duration patience) {
  auto socket = ClientSocket::Connect(server.socket(), SteadyNow() + absl::Seconds(60));
  EXPECT_TRUE(socket.ok()) << socket.status();
  Encoder question;
  question.U8(static_cast<uint8_t>(ServerMessage::kFind));
  question.U32(static_cast<uint32_t>(absl::ToInt64Milliseconds(patience)));
  question.Raw(std::string(32, 'k'));
  EXPECT_TRUE(SendPacket((*socket)->number(), question.bytes()).ok());
  return *std::move(socket);
}

std::string AnswerTo(const ClientSocket& socket) {
  const auto answer = ReceivePacket(socket.number(), SteadyNow() + absl::Seconds(60));
  return answer.ok() ? answer->bytes : answer.status().ToString();
}

TEST(CompileServerTest, AClientWaitsNoLongerThanItCanOrThanOthersDoTheWork) {
  CompileServerOptions options;
  options.makers_of_a_module = 1;
  const LocalServer server(std::move(options));
  const std::string unknown(1, '\0');
  EXPECT_EQ(AnswerTo(*AskForUnknown(server, absl::Hours(1))), unknown);
  EXPECT_EQ(AnswerTo(*AskForUnknown(server, absl::ZeroDuration())), unknown);
  // The first one gets no worker, which is noticed after a second.
  EXPECT_EQ(AnswerTo(*AskForUnknown(server, absl::Hours(1))), unknown);
}

}  // namespace
}  // namespace firstcall
