// What a compile server says of modules that it does not know. With clients that compile:
// tests/engine/served_compiler_test.cc.

#include "services/server/compile_server.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/coding.h"
#include "base/file.h"
#include "base/packets.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "base/version.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/server/client_socket.h"
#include "services/server/protocol.h"
#include "services/server/seam_coding.h"
#include "tests/services/server/listening_socket.h"
#include "tests/services/server/local_server.h"
#include "tests/testing/limits.h"

namespace firstcall {
namespace {

std::unique_ptr<ClientSocket> ConnectTo(const LocalServer& server) {
  auto socket = ClientSocket::Connect(server.socket(), SteadyNow() + absl::Seconds(60));
  EXPECT_TRUE(socket.ok()) << socket.status();
  return *std::move(socket);
}

// Asks what is known of a module that nobody has, and can wait so long for others.
std::unique_ptr<ClientSocket> AskForUnknown(const LocalServer& server, absl::Duration patience,
                                            absl::string_view client = "") {
  auto socket = ConnectTo(server);
  Encoder question;
  question.U8(static_cast<uint8_t>(ServerMessage::kFind));
  question.U32(static_cast<uint32_t>(absl::ToInt64Milliseconds(patience)));
  question.String(client);
  question.Raw(std::string(32, 'k'));
  EXPECT_TRUE(SendPacket(socket->number(), question.bytes()).ok());
  return socket;
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

// As one that has all it needs, and looks for something better.
TEST(CompileServerTest, NobodyWaitsForAClientThatCannotWait) {
  CompileServerOptions options;
  options.makers_of_a_module = 1;
  const LocalServer server(std::move(options));
  const std::string unknown(1, '\0');
  EXPECT_EQ(AnswerTo(*AskForUnknown(server, absl::ZeroDuration())), unknown);
  const auto second = AskForUnknown(server, absl::Hours(1));
  EXPECT_EQ(server.Count("clients that wait "), 0);
  EXPECT_EQ(AnswerTo(*second), unknown);
}

void AskForWorker(const ClientSocket& client, absl::string_view name = "") {
  Encoder greeting;
  greeting.U8(static_cast<uint8_t>(ServerMessage::kCompile));
  greeting.U32(kRemoteProtocol);
  greeting.String(Version());
  greeting.String("");
  greeting.String(name);
  greeting.Raw(EncodeSettings(CompilerSettings()).value());
  EXPECT_TRUE(SendPacket(client.number(), greeting.bytes()).ok());
}

// What the server or the worker has answered.
absl::StatusCode CodeOfAnswerTo(const ClientSocket& client) {
  const std::string answer = AnswerTo(client);
  Decoder decoder(answer);
  return DecodeStatus(decoder).code();
}

// Whether all threads of a process have ended, and nobody has asked for its status. Its files are
// closed then.
bool HasEnded(pid_t process) {
  const std::string directory = absl::StrCat("/proc/", process);
  std::ifstream stat(directory + "/stat");
  std::string number, name, state;
  stat >> number >> name >> state;
  std::error_code error;
  return state == "Z" &&
         std::distance(std::filesystem::directory_iterator(directory + "/task", error), {}) == 1;
}

// The server hears of both at once: that `worker` has ended, and that `client` wants one.
void KillAndAsk(const LocalServer& server, pid_t worker, const ClientSocket& client) {
  ASSERT_GT(worker, 0);
  kill(server.process(), SIGSTOP);
  kill(worker, SIGKILL);
  while (!HasEnded(worker)) usleep(1000);
  AskForWorker(client);
  kill(server.process(), SIGCONT);
}

TEST(CompileServerTest, AWorkerThatHasJustEndedIsNotBusy) {
  CompileServerOptions options;
  options.most_workers = 1;
  const LocalServer server(std::move(options));
  const auto first = ConnectTo(server), second = ConnectTo(server), third = ConnectTo(server);
  AskForWorker(*first);
  EXPECT_EQ(CodeOfAnswerTo(*first), absl::StatusCode::kOk);
  AskForWorker(*second);
  EXPECT_EQ(CodeOfAnswerTo(*second), absl::StatusCode::kResourceExhausted);
  KillAndAsk(server, server.FindWorker(absl::StrCat(" of client ", getpid())), *third);
  EXPECT_EQ(CodeOfAnswerTo(*third), absl::StatusCode::kOk);
}

// Expects that nobody waits any more for a client that has ended, although another client, which
// the status calls `status_of_second`, has a worker.
void ExpectNobodyWaitsForOneThatHasEnded(const LocalServer& server,
                                         const std::string& status_of_second) {
  EXPECT_EQ(AnswerTo(*AskForUnknown(server, absl::Hours(1), "first")), std::string(1, '\0'));
  auto first = ConnectTo(server);
  const auto second = ConnectTo(server);
  AskForWorker(*first, "first");
  EXPECT_EQ(CodeOfAnswerTo(*first), absl::StatusCode::kOk);
  AskForWorker(*second, "second");
  EXPECT_EQ(CodeOfAnswerTo(*second), absl::StatusCode::kOk);
  const auto third = AskForUnknown(server, absl::Hours(1), "third");
  server.WaitFor("clients that wait ", 1);
  first.reset();
  EXPECT_EQ(AnswerTo(*third), std::string(1, '\0'));
  server.WaitFor("clients ", 1);
  EXPECT_GT(server.FindWorker(status_of_second), 0);
}

CompileServerOptions WithOneMaker() {
  CompileServerOptions options;
  options.makers_of_a_module = 1;
  return options;
}

TEST(CompileServerTest, ClientsOfOneProcessAreToldApart) {
  ExpectNobodyWaitsForOneThatHasEnded(LocalServer(WithOneMaker()),
                                      absl::StrCat(" of client ", getpid()));
}

// As in another container: the server does not see the numbers of their processes.
TEST(CompileServerTest, ClientsOutsideItsProcessNamespaceAreToldApart) {
  constexpr int kNotAllowed = 77;
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWPID) != 0) _exit(kNotAllowed);  // For this process's children.
    ExpectNobodyWaitsForOneThatHasEnded(LocalServer(WithOneMaker()),
                                        " of a client in another container");
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotAllowed) {
    GTEST_SKIP() << "this user may not make a process namespace";
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(CompileServerTest, ManyClientsMayWait) {
  int longest_queue = 0;
  std::ifstream("/proc/sys/net/core/somaxconn") >> longest_queue;
  if (longest_queue < 300) GTEST_SKIP() << "the system lets fewer clients wait for a server";
  CompileServerOptions options;
  options.makers_of_a_module = 1;
  const LocalServer server(std::move(options));
  EXPECT_EQ(AnswerTo(*AskForUnknown(server, absl::Hours(1))), std::string(1, '\0'));
  const auto maker = ConnectTo(server);
  AskForWorker(*maker);
  EXPECT_EQ(CodeOfAnswerTo(*maker), absl::StatusCode::kOk);
  std::vector<std::unique_ptr<ClientSocket>> waiting;
  // All are there before the server hears of any.
  kill(server.process(), SIGSTOP);
  for (int i = 0; i < 300; ++i) waiting.push_back(AskForUnknown(server, absl::Hours(1)));
  kill(server.process(), SIGCONT);
  server.WaitFor("clients that wait ", 300);
}

TEST(CompileServerTest, ClientsThatSayNothingMakeRoomForOthers) {
  const LocalServer server;
  std::vector<std::unique_ptr<ClientSocket>> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(ConnectTo(server));
  server.WaitFor("clients ", 0);
  EXPECT_TRUE(absl::IsOutOfRange(
      ReceivePacket(silent[0]->number(), SteadyNow() + absl::Seconds(5)).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      ReceivePacket(silent[299]->number(), absl::ZeroDuration()).status()));
}

// In seconds.
double ProcessorTimeOf(pid_t process) {
  std::ifstream stat(absl::StrCat("/proc/", process, "/stat"));
  std::string word;
  for (int i = 0; i < 13; ++i) stat >> word;
  double user = 0, system = 0;
  stat >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

TEST(CompileServerTest, AServerWithoutDescriptorsIsIdle) {
  const LocalServer server;
  server.WaitFor("workers ", 1);
  rlimit limit = {};
  ASSERT_EQ(prlimit(server.process(), RLIMIT_NOFILE, nullptr, &limit), 0);
  const auto open_files = std::distance(
      std::filesystem::directory_iterator(absl::StrCat("/proc/", server.process(), "/fd")), {});
  const rlimit few = {static_cast<rlim_t>(open_files), limit.rlim_max};
  ASSERT_EQ(prlimit(server.process(), RLIMIT_NOFILE, &few, nullptr), 0);
  {
    std::vector<std::unique_ptr<ClientSocket>> clients;
    for (int i = 0; i < 20; ++i) clients.push_back(ConnectTo(server));
    const double before = ProcessorTimeOf(server.process());
    usleep(2'000'000);
    EXPECT_LT(ProcessorTimeOf(server.process()) - before, 0.3);
  }
  ASSERT_EQ(prlimit(server.process(), RLIMIT_NOFILE, &limit, nullptr), 0);
  EXPECT_GT(server.Count("pid "), 0);
}

TEST(CompileServerTest, SocketsOfOtherProgramsStay) {
  sigset_t signals;
  sigprocmask(SIG_BLOCK, nullptr, &signals);
  for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
    const ListeningSocket other(type);
    CompileServerOptions options;
    options.path = other.path();
    EXPECT_TRUE(absl::IsAlreadyExists(CompileServer::Create(std::move(options), {}).status()));
    EXPECT_TRUE(std::filesystem::exists(other.path()));
  }
  sigprocmask(SIG_SETMASK, &signals, nullptr);
}

TEST(CompileServerTest, ClientWithoutDescriptorsSaysSo) {
  const LocalServer server;
  absl::Status status;
  {
    // A sanitizer needs files of its own for its checks, so nothing else is done meanwhile.
    const testing::LimitTo none(RLIMIT_NOFILE, 0);
    status = ClientSocket::Connect(server.socket(), SteadyNow() + absl::Seconds(60)).status();
  }
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("Too many open files"));
}

TEST(CompileServerTest, AWorkerThatHasJustEndedGetsNoClient) {
  const LocalServer server;
  const auto client = ConnectTo(server);
  server.WaitFor("workers ", 1);
  KillAndAsk(server, server.FindWorker(" waits"), *client);
  EXPECT_EQ(CodeOfAnswerTo(*client), absl::StatusCode::kOk);
}

}  // namespace
}  // namespace firstcall
