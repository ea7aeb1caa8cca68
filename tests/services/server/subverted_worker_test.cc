// Workers that were taken over, by bitcode that makes use of a fault in the compiler: they send
// what they like, and use what they have. They reach neither the server nor other clients.

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/coding.h"
#include "base/content_digest.h"
#include "base/packets.h"
#include "base/steady_clock.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/server/compile_server.h"
#include "services/server/protocol.h"
#include "tests/services/server/local_server.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

constexpr char kProgram[] = R"(
  define i32 @taken() { ret i32 1 }
  define i32 @other() { ret i32 7 }
)";

// In the worker: its connection to the server.
int ServersSocket() {
  for (int file = 3; file < 1000; ++file) {
    ucred peer = {};
    int type = 0;
    socklen_t peer_size = sizeof(peer), type_size = sizeof(type);
    if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_SEQPACKET &&
        getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) == 0 &&
        peer.pid == getppid()) {
      return file;
    }
  }
  return -1;
}

// In the worker, too.
std::string AnswerOfServer(int socket) {
  const auto answer = ReceivePacket(socket, SteadyNow() + absl::Seconds(60));
  return answer.ok() ? answer->bytes : answer.status().ToString();
}

std::string Message(ServerMessage kind, uint64_t number, absl::string_view rest) {
  Encoder encoder;
  encoder.U8(static_cast<uint8_t>(kind));
  encoder.U64(number);
  encoder.Raw(rest);
  return std::move(encoder).Take();
}

std::string SignatureOf(absl::string_view contents, absl::string_view more = "") {
  return absl::StrCat("firstcall=6 source=", absl::BytesToHexString(ContentDigest(contents)), " ",
                      more);
}

// What a filter of system calls does not forbid is to do no harm, either.
CompileServerOptions Unconfined() {
  CompileServerOptions options;
  options.confines = false;
  return options;
}

struct ClientResult {
  std::string failure;  // Of the function for which the worker was taken over.
  int other = 0;        // What another function has returned.
};

std::string* failure = nullptr;
int Failed() { return -1; }

// A client whose worker is taken over.
ClientResult RunClient(const LocalServer& server, const std::string& program) {
  EngineOptions options;
  options.compile_server = server.socket();
  options.compile_server_budget = absl::InfiniteDuration();
  options.failure_handler = [](const FailedCall& call) {
    *failure = std::string(call.status.message());
    return reinterpret_cast<void*>(&Failed);
  };
  delete failure;
  failure = new std::string;
  const auto engine = Engine::Create(options).value();
  EXPECT_TRUE(engine->AddBitcode(program, "program").ok());
  ClientResult result;
  EXPECT_EQ(engine->Lookup<int()>("taken").value()(), -1);
  result.failure = *failure;
  result.other = engine->Lookup<int()>("other").value()();
  return result;
}

// A line of a process's status, in KiB.
int64_t MemoryOf(pid_t process, const std::string& name) {
  std::ifstream status(absl::StrCat("/proc/", process, "/status"));
  for (std::string word; status >> word;) {
    int64_t size = 0;
    if (word == name + ":" && status >> size) return size;
  }
  return -1;
}

// "T": it is stopped. Empty if there is no such process.
std::string StateOf(pid_t process) {
  std::ifstream stat(absl::StrCat("/proc/", process, "/stat"));
  std::string number, name, state;
  stat >> number >> name >> state;
  return state;
}

TEST(SubvertedWorkerTest, TheServerReadsNoFilesOfWorkers) {
  constexpr int64_t kSize = int64_t{256} << 20;
  const std::string program = ParseToBitcode(kProgram);
  const LocalServer server(Unconfined(), [&]() -> std::string {
    // It takes memory as it is read.
    const int file = memfd_create("sparse", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (ftruncate(file, kSize) != 0) return "no file";
    fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    const std::string offer =
        absl::StrCat(std::string(1, static_cast<char>(ServerMessage::kPublish)),
                     SignatureOf(program, "made up"));
    const bool is_sent = SendPacket(ServersSocket(), offer, {file, file}).ok();
    return is_sent ? "sent" : "not sent";
  });
  const int64_t before = MemoryOf(server.process(), "VmHWM");
  ASSERT_GT(before, 0);
  EXPECT_THAT(RunClient(server, program).failure, HasSubstr("sent"));
  EXPECT_GT(server.Count("pid "), 0);  // It has read what came before.
  EXPECT_LT(MemoryOf(server.process(), "VmHWM") - before, kSize / 2 / 1024);
  EXPECT_EQ(server.Count("modules known "), 0);
}

TEST(SubvertedWorkerTest, PublishesNothingForModulesThatItsClientDoesNotHave) {
  const std::string program = ParseToBitcode(kProgram);
  const LocalServer server(Unconfined(), [&]() -> std::string {
    const int socket = ServersSocket();
    const std::string contents = "the bitcode of another client, which is no secret";
    EXPECT_TRUE(
        SendPacket(socket, Message(ServerMessage::kPublish, 100, SignatureOf(contents))).ok());
    const bool is_wanted = AnswerOfServer(socket) == "\1";
    EXPECT_TRUE(SendPacket(socket, Message(ServerMessage::kRead, 0,
                                           std::string(8, '\0') + SignatureOf(contents)))
                    .ok());
    const bool is_read = AnswerOfServer(socket) != std::string(8, '\0');
    return absl::StrCat(is_wanted ? "" : "not wanted, ", is_read ? "" : "not read");
  });
  const ClientResult client = RunClient(server, program);
  EXPECT_THAT(client.failure, HasSubstr("not wanted, not read"));
  EXPECT_EQ(client.other, 7);
  server.WaitFor("clients ", 0);
  EXPECT_EQ(server.Count("modules known "), 1);  // What the client has had compiled.
}

TEST(SubvertedWorkerTest, PublishesNothingTooLarge) {
  const std::string program = ParseToBitcode(kProgram);
  const LocalServer server(Unconfined(), [&]() -> std::string {
    const int socket = ServersSocket();
    std::string refused;
    for (const uint64_t size : {uint64_t{1} << 40, UINT64_MAX, uint64_t{0}}) {
      const std::string offer =
          Message(ServerMessage::kPublish, size, SignatureOf(program, "made up"));
      EXPECT_TRUE(SendPacket(socket, offer).ok());
      absl::StrAppend(&refused, AnswerOfServer(socket) == "\1" ? "wanted " : "refused ");
    }
    return refused;
  });
  EXPECT_THAT(RunClient(server, program).failure, HasSubstr("refused refused refused"));
}

// The server ends it, and its client gets another one.
TEST(SubvertedWorkerTest, SendsNoMoreThanItHasAnnounced) {
  const std::string program = ParseToBitcode(kProgram);
  for (const size_t size : {11, 30'000}) {
    const LocalServer server(Unconfined(), [&]() -> std::string {
      const int socket = ServersSocket();
      const std::string part(size, static_cast<char>(ServerMessage::kPart));
      if (size > 11) {
        // Without any announcement.
        EXPECT_TRUE(SendPacket(socket, part).ok());
      } else {
        EXPECT_TRUE(
            SendPacket(socket, Message(ServerMessage::kPublish, 9, SignatureOf(program, "made up")))
                .ok());
        EXPECT_EQ(AnswerOfServer(socket), "\1");
        EXPECT_TRUE(SendPacket(socket, part).ok());
      }
      sleep(60);
      return "not ended";
    });
    const ClientResult client = RunClient(server, program);
    EXPECT_THAT(client.failure, HasSubstr("has ended twice"));
    EXPECT_EQ(client.other, 7);
    EXPECT_GT(server.Count("pid "), 0);
  }
}

TEST(SubvertedWorkerTest, EndsSoonAfterItsClient) {
  CompileServerOptions options = Unconfined();
  options.time_to_end = absl::Milliseconds(200);
  const LocalServer server(std::move(options), [] {
    kill(getpid(), SIGSTOP);  // The whole worker does nothing any more, as if it did not care.
    return "";
  });
  const std::string program = ParseToBitcode(kProgram);
  const pid_t client = fork();
  if (client == 0) {
    RunClient(server, program);
    _exit(0);
  }
  while (StateOf(server.FindWorker(absl::StrCat(" of client ", client))) != "T") usleep(10'000);
  kill(client, SIGKILL);
  waitpid(client, nullptr, 0);
  server.WaitFor("clients ", 0);
}

// With the filter, that is.
TEST(SubvertedWorkerTest, MakesNoMemoryFiles) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator has no such filters";
  const LocalServer server(CompileServerOptions(), [] {
    return memfd_create("test", MFD_CLOEXEC) < 0 ? "refused" : "made";
  });
  EXPECT_THAT(RunClient(server, ParseToBitcode(kProgram)).failure, HasSubstr("refused"));
}

}  // namespace
}  // namespace firstcall
