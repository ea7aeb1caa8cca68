// A worker, with a test as its server and its client. With real ones:
// tests/engine/served_compiler_test.cc.

#include "services/server/worker.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/coding.h"
#include "base/file_contents.h"
#include "base/kept_file.h"
#include "base/packets.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "compiler/in_process_compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seam/listener.h"
#include "services/server/lane.h"
#include "services/server/object_pack.h"
#include "services/server/protocol.h"
#include "services/server/sealed_bytes.h"
#include "services/server/seam_coding.h"
#include "tests/testing/socket_pair.h"

namespace firstcall {
namespace {

constexpr absl::Duration kLong = absl::Seconds(60);
constexpr uint32_t kModule = 1;
constexpr char kSignature[] = "signature";
constexpr char kProgram[] = R"(
  define i32 @first() { ret i32 1 }
  define i32 @second() { ret i32 2 }
  define i32 @third() { ret i32 3 }
)";

// A worker in a child of the test.
class TestWorker {
 public:
  TestWorker() {
    process_ = fork();
    if (process_ == 0) {
      server_.one.Close();
      client_.one.Close();
      client_.other.Close();
      Listener listener;
      const auto compiler = InProcessCompiler::Create({}, listener);
      WorkerOptions options;
      options.request_time = absl::InfiniteDuration();
      options.server_budget = absl::InfiniteDuration();
      options.ready = compiler->get();
      options.ready_for = "settings";
      RunWorker(std::move(server_.other), options);
      _exit(0);
    }
    server_.other.Close();
    EXPECT_TRUE(SendPacket(server(), "settings", {client_.other.number()}).ok());
    client_.other.Close();
    const auto answer = ReceivePacket(client_.one.number(), SteadyNow() + kLong);
    EXPECT_TRUE(answer.ok()) << answer.status();
  }
  ~TestWorker() {
    server_.one.Close();  // It ends at once.
    waitpid(process_, nullptr, 0);
  }

  int server() const { return server_.one.number(); }
  // The client ends.
  void CloseClient() { client_.one.Close(); }

  // The client's end of a new lane.
  File NewLane() const {
    SocketPair ends;
    const char message = static_cast<char>(ServerMessage::kLane);
    EXPECT_TRUE(SendPacket(client_.one.number(), {&message, 1}, {ends.other.number()}).ok());
    return std::move(ends.one);
  }

  // The exit status of the process, which ends by itself.
  int WaitForEnd() const {
    int status = 0;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    return status;
  }

 private:
  SocketPair server_{SOCK_SEQPACKET};
  SocketPair client_{SOCK_SEQPACKET};
  pid_t process_ = -1;
};

// Whether the worker has answered a request.
bool Ask(Lane& lane, LaneMessage kind, absl::string_view body, int file = -1) {
  if (!lane.Send(kind, body, file).ok()) return false;
  const auto answer = lane.Receive();
  if (!answer.ok() || answer->kind != LaneMessage::kAnswer) return false;
  Decoder decoder(answer->body);
  return DecodeStatus(decoder).ok();
}

bool AddModule(Lane& lane) {
  Encoder body;
  body.U32(kModule);
  body.U8(static_cast<uint8_t>(ModuleContents::Form::kText));
  body.U8(0);
  body.String("module");
  return Ask(lane, LaneMessage::kAdd, body.bytes(), SealBytes(kProgram)->number());
}

bool CompileFunction(Lane& lane, uint32_t function) {
  OrderValues order;
  order.module.value = kModule;
  order.function.value = function;
  order.others_may_join = true;
  order.identification = Identification{
      ModulePart{ModulePart::Kind::kFunction, order.function}.ToString(), kSignature};
  return Ask(lane, LaneMessage::kCompileFunction, EncodeOrder(order));
}

// The body of the next packet to the server.
std::string ReceiveAsServer(const TestWorker& worker, ServerMessage kind) {
  const auto packet = ReceivePacket(worker.server(), SteadyNow() + kLong);
  EXPECT_TRUE(packet.ok()) << packet.status();
  if (!packet.ok()) return "";
  EXPECT_EQ(packet->bytes[0], static_cast<char>(kind));
  return packet->bytes.substr(1);
}

void AnswerAsServer(const TestWorker& worker, uint64_t number) {
  Encoder answer;
  answer.U64(number);
  EXPECT_TRUE(SendPacket(worker.server(), answer.bytes()).ok());
}

std::string ReceivePack(const TestWorker& worker) {
  const std::string offer = ReceiveAsServer(worker, ServerMessage::kPublish);
  const uint64_t size = Decoder(offer).U64();
  EXPECT_TRUE(SendPacket(worker.server(), "\1").ok());
  std::string pack;
  while (pack.size() < size) {
    const std::string part = ReceiveAsServer(worker, ServerMessage::kPart);
    if (part.empty()) break;
    pack += part;
  }
  return pack;
}

int CountFunctions(const std::string& bytes) {
  const auto pack = ObjectPack::Parse(FileContents::Copy(bytes));
  EXPECT_TRUE(pack.ok()) << pack.status();
  int count = 0;
  for (const auto& [part, place] : pack->entries()) {
    if (part.kind == ModulePart::Kind::kFunction) ++count;
  }
  return count;
}

TEST(WorkerTest, ServesItsClientWhileTheServerDoesNotAnswer) {
  TestWorker worker;
  const KeptFile first(worker.NewLane());
  Lane lane(first, kLong);
  ASSERT_TRUE(AddModule(lane));
  ASSERT_TRUE(CompileFunction(lane, 0));
  // The client is quiet, so the worker wants to publish that.
  (void)ReceiveAsServer(worker, ServerMessage::kRead);
  EXPECT_TRUE(CompileFunction(lane, 1));
  const KeptFile second(worker.NewLane());
  Lane other_lane(second, kLong);
  EXPECT_TRUE(CompileFunction(other_lane, 2));
}

TEST(WorkerTest, PublishesTheRestWhenItsClientHasEnded) {
  TestWorker worker;
  {
    const KeptFile socket(worker.NewLane());
    Lane lane(socket, kLong);
    ASSERT_TRUE(AddModule(lane));
    ASSERT_TRUE(CompileFunction(lane, 0));
    (void)ReceiveAsServer(worker, ServerMessage::kRead);
    ASSERT_TRUE(CompileFunction(lane, 1));
  }
  worker.CloseClient();
  AnswerAsServer(worker, 0);
  EXPECT_EQ(CountFunctions(ReceivePack(worker)), 1);
  AnswerAsServer(worker, 5);
  const std::string question = ReceiveAsServer(worker, ServerMessage::kRead);
  EXPECT_EQ(Decoder(question).U64(), 5u);  // The pack that it knows already.
  AnswerAsServer(worker, 0);
  EXPECT_EQ(CountFunctions(ReceivePack(worker)), 2);
  AnswerAsServer(worker, 6);
  EXPECT_EQ(worker.WaitForEnd(), 0);
}

}  // namespace
}  // namespace firstcall
