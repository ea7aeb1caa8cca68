// Messages that no client, worker or server would send, to either end: each is answered by a
// status, or the connection is closed, and nothing beyond the bytes is touched (under the address
// sanitizer).
//
//   protocol_fuzz_test [--messages=N]    3,000 to each end by default

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/coding.h"
#include "base/packets.h"
#include "base/steady_clock.h"
#include "compiler/in_process_compiler.h"
#include "gtest/gtest.h"
#include "seam/listener.h"
#include "services/server/client_socket.h"
#include "services/server/compile_service.h"
#include "services/server/lane.h"
#include "services/server/protocol.h"
#include "services/server/remote_compiler.h"
#include "services/server/sealed_bytes.h"
#include "services/server/seam_coding.h"
#include "services/server/worker_store.h"
#include "tests/services/server/local_server.h"
#include "tests/testing/fuzz_input.h"
#include "tests/testing/ir.h"
#include "tests/testing/socket_pair.h"

namespace firstcall {
namespace {

int messages = 3000;

constexpr char kProgram[] = R"(
  @counter = global i32 5
  define weak i32 @square(i32 %x) {
    %1 = mul i32 %x, %x
    ret i32 %1
  }
  define i32 @cube(i32 %x) {
    %1 = call i32 @square(i32 %x)
    %2 = mul i32 %1, %x
    ret i32 %2
  })";

FuzzInput input(1);

// A request of a client, or something like it.
Lane::Message SomeRequest(const std::string& bitcode) {
  Lane::Message message;
  Encoder body;
  const uint32_t module = input.Below(3);
  if (input.Below(8) == 0) {
    message.kind = LaneMessage::kAdd;
    body.U32(module);
    body.U8(static_cast<uint8_t>(input.Below(3)));
    body.U8(static_cast<uint8_t>(input.Below(2)));
    body.String("fuzz");
    if (input.Below(4) != 0)
      message.file = std::move(*SealBytes(input.Below(4) != 0 ? bitcode : input.Bytes()));
  } else if (input.Below(2) == 0) {
    constexpr LaneMessage kOrders[] = {LaneMessage::kCompileFunction, LaneMessage::kCompileData,
                                       LaneMessage::kOptimize};
    message.kind = kOrders[input.Below(3)];
    OrderValues order;
    order.module.value = module;
    order.function.value = input.Below(4);
    if (input.Below(4) == 0) order.loop = input.Below(2);
    order.is_far = input.Below(2) == 0;
    if (input.Below(2) == 0) order.polls = PollOptions{input.Below(2) == 0, input.Below(100)};
    if (input.Below(2) == 0) order.identification = Identification{"function 1", "signature"};
    body.Raw(EncodeOrder(order));
  } else {
    message.kind = static_cast<LaneMessage>(input.Below(40));
    body.U32(module);
    body.U32(input.Below(4));
    body.U8(static_cast<uint8_t>(input.Below(2)));
  }
  message.body =
      input.Below(3) == 0 ? input.Damaged(std::move(body).Take()) : std::move(body).Take();
  return message;
}

// Reads modules, and makes up all other answers: LLVM does not check what it is asked for. As every
// compiler, it asks only for symbols that the module has.
class AnsweringCompiler final : public Compiler {
 public:
  explicit AnsweringCompiler(std::unique_ptr<Compiler> real) : real_(std::move(real)) {}

  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) override {
    const ModuleId id = order.id;
    auto index = real_->Add(std::move(order));
    const absl::MutexLock lock(&mutex_);
    if (index.ok()) symbols_[id] = static_cast<uint32_t>((*index)->size());
    return index;
  }
  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder& order) override {
    CompiledFunction function;
    function.functions = {order.function};
    for (uint32_t i = 1; i < std::min(SymbolsOf(order.module), 3u); ++i) {
      (void)order.is_replaced(SymbolOrdinal{i});
      if (i != order.function.value && order.may_join(SymbolOrdinal{i})) {
        function.functions.push_back(SymbolOrdinal{i});
      }
    }
    function.object.bytes = ObjectBytes("no object");
    return function;
  }
  absl::StatusOr<CompiledObject> CompileData(const DataOrder& order) override {
    if (SymbolsOf(order.module) > 1) (void)order.is_replaced(SymbolOrdinal{1});
    return CompiledObject();
  }
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder& order) override {
    return CompileData(order);
  }
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder& order) override {
    if (SymbolsOf(order.module) > 2) (void)order.is_warm(SymbolOrdinal{2});
    if (!order.run_passes([&] { order.stop_if_exiting(); })) return absl::CancelledError("");
    return CompiledObject();
  }
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId module) override {
    return real_->DigestBodies(module);
  }
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId module) override {
    return real_->ReadLabels(module);
  }
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId module, SymbolOrdinal function) override {
    return real_->ReadEntryPoint(module, function);
  }
  absl::StatusOr<FunctionShape> ReadShape(ModuleId module, SymbolOrdinal function, bool) override {
    return real_->ReadShape(module, function, false);
  }
  void ReadAgain(ModuleId) override {}
  void ForgetFunctions(ModuleId, bool) override {}
  void Remove(ModuleId module) override { real_->Remove(module); }
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override { return real_->MakeLinker(); }
  const void* SomewhereInLibrary() override { return nullptr; }

 private:
  uint32_t SymbolsOf(ModuleId module) {
    const absl::MutexLock lock(&mutex_);
    return symbols_.at(module);
  }

  const std::unique_ptr<Compiler> real_;
  absl::Mutex mutex_;
  std::map<ModuleId, uint32_t> symbols_ ABSL_GUARDED_BY(mutex_);  // How many a module has.
};

// The worker's end of a lane.
TEST(ProtocolFuzzTest, Worker) {
  Listener listener;
  CompilerSettings settings;
  settings.promotes = true;
  const std::string bitcode = ParseToBitcode(kProgram);
  for (int sent = 0; sent < messages;) {
    auto real = InProcessCompiler::Create(settings, listener);
    ASSERT_TRUE(real.ok()) << real.status();
    AnsweringCompiler compiler(*std::move(real));
    WorkerStore store;
    CompileService service(compiler, store);
    for (int lane = 0; lane < 50 && sent < messages; ++lane) {
      SocketPair ends;
      std::thread worker([&] { service.Serve(std::move(ends.other)); });
      KeptFile ours(std::move(ends.one));
      Lane client(ours, absl::Seconds(60));
      bool is_open = true;
      while (is_open && sent < messages) {
        ++sent;
        const Lane::Message request = SomeRequest(bitcode);
        is_open = client.Send(request.kind, request.body, request.file.number()).ok();
        while (is_open) {
          const auto answer = client.Receive();
          is_open = answer.ok();
          if (!is_open || answer->kind == LaneMessage::kAnswer) break;
          if (answer->kind == LaneMessage::kPassesBegin) continue;
          const std::string reply = input.Below(20) == 0 ? input.Bytes() : std::string(1, '\1');
          const LaneMessage kind =
              input.Below(50) == 0 ? LaneMessage::kAnswer : LaneMessage::kReply;
          is_open = client.Send(kind, reply).ok();
        }
        if (input.Below(30) == 0) break;
      }
      shutdown(ours.number(), SHUT_RDWR);
      worker.join();
    }
    (void)store.Take([](absl::string_view, uint64_t) { return std::nullopt; });
  }
}

// The server: it must still answer afterwards, and have no worker but its spare one.
TEST(ProtocolFuzzTest, Server) {
  const LocalServer server;
  const std::string settings = *EncodeSettings(CompilerSettings());
  for (int sent = 0; sent < messages / 3;) {
    auto socket = ClientSocket::Connect(server.socket(), SteadyNow() + absl::Seconds(60));
    ASSERT_TRUE(socket.ok()) << socket.status();
    for (uint32_t i = 1 + input.Below(4); i > 0; --i, ++sent) {
      Encoder packet;
      packet.U8(static_cast<uint8_t>(input.Below(11)));
      packet.U32(input.Below(4) == 0 ? input.Below(9) : kRemoteProtocol);
      packet.String(input.Below(2) == 0 ? "0" : "");
      packet.String("");
      packet.String("client");
      packet.Raw(settings);
      const std::string bytes = input.Damaged(std::move(packet).Take());
      if (bytes.empty()) continue;
      std::vector<int> files;
      if (input.Below(4) == 0) files = {STDERR_FILENO};
      if (!SendPacket((*socket)->number(), bytes, files).ok()) break;
    }
  }
  server.WaitFor("clients ", 0);
}

// A server, and its worker, that answer what they like.
class WrongServer {
 public:
  WrongServer() {
    char directory[] = "/tmp/firstcall_wrong_XXXXXX";
    EXPECT_NE(mkdtemp(directory), nullptr);
    directory_ = directory;
    path_ = directory_ + "/socket";
    sockaddr_storage storage = {};
    storage.ss_family = AF_UNIX;
    path_.copy(reinterpret_cast<char*>(&storage) + sizeof(sa_family_t), path_.size());
    listening_ = File(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    EXPECT_EQ(bind(listening_.number(), reinterpret_cast<const sockaddr*>(&storage),
                   static_cast<socklen_t>(sizeof(sa_family_t) + path_.size() + 1)),
              0);
    EXPECT_EQ(listen(listening_.number(), 16), 0);
    thread_ = std::thread([this] { Serve(); });
  }
  ~WrongServer() {
    shutdown(listening_.number(), SHUT_RDWR);
    thread_.join();
    unlink(path_.c_str());
    rmdir(directory_.c_str());
  }

  const std::string& path() const { return path_; }

 private:
  void Serve() {
    while (true) {
      const File client(accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client.is_open()) return;
      const auto greeting = ReceivePacket(client.number(), SteadyNow() + absl::Seconds(60));
      if (!greeting.ok()) continue;
      Encoder answer;
      answer.U8(0);
      answer.String("identity");
      std::string bytes = std::move(answer).Take();
      if (input_.Below(20) == 0) bytes = std::string(1, static_cast<char>(input_.Below(256)));
      if (!SendPacket(client.number(), bytes).ok()) continue;
      auto lane = ReceivePacket(client.number(), SteadyNow() + absl::Seconds(60));
      if (!lane.ok() || lane->files.size() != 1) continue;
      // Both may wait for each other: then this end gives up.
      const KeptFile lanes(std::move(lane->files[0]));
      ServeLane(Lane(lanes, absl::Milliseconds(50)));
    }
  }

  // Serves one lane until that is closed: other lanes are not served, so one thread asks.
  void ServeLane(Lane lane) {
    while (true) {
      const auto request = lane.Receive();
      if (!request.ok()) return;
      for (uint32_t i = input_.Below(4); i > 0; --i) {
        Encoder question;
        question.U8(static_cast<uint8_t>(input_.Below(4)));
        question.U32(input_.Below(4));
        const LaneMessage kind = input_.Below(8) == 0 ? static_cast<LaneMessage>(input_.Below(40))
                                                      : LaneMessage::kQuestion;
        if (!lane.Send(kind, question.bytes()).ok()) return;
        if (kind == LaneMessage::kAnswer) break;
        if (!lane.Receive().ok()) return;
      }
      std::string bytes = input_.Bytes(200);
      if (!bytes.empty() && input_.Below(2) == 0) bytes[0] = 0;
      if (!lane.Send(LaneMessage::kAnswer, bytes).ok()) return;
    }
  }

  FuzzInput input_{2};
  std::string directory_;
  std::string path_;
  File listening_;
  std::thread thread_;
};

TEST(ProtocolFuzzTest, Client) {
  WrongServer server;
  Listener listener;
  auto real = InProcessCompiler::Create(CompilerSettings(), listener);
  ASSERT_TRUE(real.ok());
  const std::string bitcode = ParseToBitcode(kProgram);
  const ModuleContents contents = {"fuzz", ModuleContents::Form::kBitcode,
                                   FileContents::Copy(bitcode)};
  const auto index = (*real)->Add({ModuleId{0}, contents, nullptr});
  ASSERT_TRUE(index.ok());
  const auto answer = [](SymbolOrdinal) { return input.Below(2) == 0; };
  const auto run = [](absl::FunctionRef<void()> passes) {
    passes();
    return input.Below(8) != 0;
  };
  for (int sent = 0; sent < messages;) {
    auto compiler = RemoteCompiler::Create(
        CompilerSettings(), {server.path(), absl::Seconds(60), ""}, nullptr, nullptr);
    ++sent;
    if (!compiler.ok()) continue;
    const bool knows_index = input.Below(4) != 0;
    const auto added = (*compiler)->Add({ModuleId{0}, contents, knows_index ? *index : nullptr});
    for (int i = 0; i < 20 && added.ok(); ++i, ++sent) {
      const SymbolOrdinal function{input.Below(2) + 1};
      switch (input.Below(8)) {
        case 0:
          (void)(*compiler)->CompileFunction({ModuleId{0}, function, answer, answer});
          break;
        case 1:
          (void)(*compiler)->CompileData({ModuleId{0}, answer});
          break;
        case 2:
          (void)(*compiler)->Optimize({ModuleId{0}, function, std::nullopt, false,
                                       std::make_shared<StopFlag>(), nullptr, answer, answer, run});
          break;
        case 3:
          (void)(*compiler)->ReadShape(ModuleId{0}, function, false);
          break;
        case 4:
          (void)(*compiler)->ReadEntryPoint(ModuleId{0}, function);
          break;
        case 5:
          (void)(*compiler)->DigestBodies(ModuleId{0});
          break;
        case 6:
          (void)(*compiler)->ReadLabels(ModuleId{0});
          break;
        default:
          (*compiler)->ReadAgain(ModuleId{0});
      }
    }
  }
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  return firstcall::RunFuzzTests(argc, argv, firstcall::messages);
}
