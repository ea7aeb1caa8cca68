// Messages that no client and no isolated process would send, to either end: each is answered by a
// status, or the connection is closed, and nothing beyond the bytes is touched (under the address
// sanitizer).
//
//   isolation_fuzz_test [--messages=N]    1,000 to each end by default, 200 in the emulator

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/coding.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "foreign/foreign_layout.h"
#include "foreign/foreign_value.h"
#include "foreign/value_coding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/isolation/isolated_engine.h"
#include "services/isolation/isolated_service.h"
#include "services/isolation/isolation_messages.h"
#include "services/isolation/message_channel.h"
#include "tests/testing/fuzz_input.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/socket_pair.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using Kind = IsolationMessage;

int messages = IsEmulated() ? 200 : 1000;

constexpr char kProgram[] = R"(
  declare i32 @host_add(i32, i32)
  define i32 @square(i32 %x) {
    %1 = mul i32 %x, %x
    ret i32 %1
  }
  define i32 @adds(i32 %x) {
    %1 = call i32 @host_add(i32 %x, i32 1)
    %2 = call i32 @host_add(i32 %1, i32 %1)
    ret i32 %2
  }
  define i32 @main(i32 %argc, ptr %argv) {
    ret i32 %argc
  })";

// --- The isolated process's end ---

// A client that sends nearly anything to a process that serves it.
class WrongClient {
 public:
  explicit WrongClient(FuzzInput& input) : input_(input) {
    SocketPair sockets;
    process_ = fork();
    if (process_ == 0) {
      sockets.one.Close();
      ServeIsolated(
          sockets.other.Release(), EngineOptions(),
          {{"host_add", ForeignKind::kInt32, {ForeignKind::kInt32, ForeignKind::kInt32}}});
      _exit(0);
    }
    sockets.other.Close();
    channel_ = std::make_unique<MessageChannel>(sockets.one.Release());
    AskWell(Kind::kCreate, "");
    AskWell(Kind::kPiece, kProgram);
    Encoder names;
    names.String("program");
    names.String("");
    AskWell(Kind::kAddAssembly, names.bytes());
    Encoder size;
    size.U64(64);
    const std::string address = AskWell(Kind::kAllocate, size.bytes());
    address_ = Decoder(address).U64();
  }
  // The process must have nothing to complain about.
  ~WrongClient() {
    channel_ = nullptr;
    int status = -1;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }

  bool is_open() const { return is_open_; }
  int sent() const { return sent_; }

  // Sends a request, or something like it, and waits for its answer.
  void SendSome(size_t level) {
    if (input_.Once(500)) {
      Send(input_.Below(1 << 16), input_.Bytes());
      is_open_ = false;
      return;
    }
    Encoder body;
    const Kind kind = SomeRequest(level, body);
    std::string bytes = std::move(body).Take();
    if (input_.Once(4)) bytes = DamagedRequest(kind, std::move(bytes));
    const std::string answer = Ask(kind, bytes, level);
    Decoder decoder(answer);
    (void)DecodeStatus(decoder);
    EXPECT_TRUE(decoder.ok() || !is_open_);
  }

 private:
  Kind SomeRequest(size_t level, Encoder& body) {
    switch (input_.Below(8)) {
      case 0:
        body.Raw(input_.Bytes());
        return Kind::kPiece;
      case 1: {
        if (input_.Once(2)) Ask(Kind::kPiece, bitcode_, level);
        body.String("more");
        body.String(input_.Once(3) ? "library" : "");
        constexpr Kind kKinds[] = {Kind::kAddBitcode, Kind::kAddAssembly, Kind::kAddFile};
        return kKinds[input_.Below(3)];
      }
      case 2:
        // Code that runs may not be removed.
        body.U32(level > 0 ? 1000 : 1 + input_.Below(100));
        return Kind::kRemove;
      case 3:
        body.String(input_.Once(4) ? "square" : "main");
        body.U32(2);
        body.String("a");
        body.String("b");
        return Kind::kRunMain;
      case 4:
        return Access(body);
      case 5:
        return input_.Once(10) ? Kind::kCreate : Kind::kRunConstructors;
      default:
        body.String(input_.Once(10) ? "missing" : input_.Once(2) ? "square" : "adds");
        EncodeType(input_.Once(10) ? SomeType(0) : ForeignKind::kInt32, body);
        body.U32(1);
        EncodeType(input_.Once(10) ? SomeType(0) : ForeignKind::kInt32, body);
        body.Raw(std::string(input_.Once(10) ? input_.Below(20) : 4, '\1'));
        return Kind::kCall;
    }
  }

  // Of memory that there is: what else is accessed ends the process, as it should.
  Kind Access(Encoder& body) {
    body.U64(address_);
    if (input_.Once(2)) {
      body.Raw(input_.Bytes(64));
      return Kind::kWrite;
    }
    body.U64(input_.Once(10) ? ~uint64_t{0} : input_.Below(65));
    return Kind::kRead;
  }

  // An address stays one of memory that there is, or is incomplete.
  std::string DamagedRequest(Kind kind, std::string bytes) {
    if (kind != Kind::kRead && kind != Kind::kWrite) return input_.Damaged(std::move(bytes));
    return bytes.substr(0, input_.Below(sizeof(uint64_t)));
  }

  ForeignType SomeType(int depth) {
    const auto kind = static_cast<ForeignKind>(input_.Below(18));
    if (kind != ForeignKind::kStruct || depth > 3) return kind;
    std::vector<ForeignType> fields;
    for (uint32_t i = input_.Below(4); i > 0; --i) fields.push_back(SomeType(depth + 1));
    return ForeignType(std::move(fields));
  }

  void Send(uint32_t kind, absl::string_view bytes) {
    ++sent_;
    if (!channel_->Send(kind, bytes, Soon()).ok()) is_open_ = false;
  }

  // What must succeed.
  std::string AskWell(Kind kind, absl::string_view bytes) {
    const std::string answer = Ask(kind, bytes, 0);
    Decoder decoder(answer);
    EXPECT_THAT(DecodeStatus(decoder), IsOk());
    EXPECT_TRUE(decoder.ok());
    return std::string(decoder.rest());
  }

  // Returns the answer. Callbacks come before it.
  std::string Ask(Kind kind, absl::string_view bytes, size_t level) {
    Send(MessageKind(kind, level), bytes);
    while (is_open_) {
      absl::StatusOr<Message> message = channel_->Receive(Soon());
      EXPECT_NE(message.status().code(), absl::StatusCode::kDeadlineExceeded);
      if (!message.ok()) break;
      if (message->kind == MessageKind(Kind::kAnswer, level)) return std::move(message->bytes);
      EXPECT_EQ(message->kind, MessageKind(Kind::kCallback, level + 1));
      while (is_open_ && input_.Once(3)) SendSome(level + 1);
      if (is_open_) {
        Send(MessageKind(Kind::kCallbackResult, level + 1),
             input_.Once(4) ? input_.Bytes() : std::string(4, '\2'));
      }
    }
    is_open_ = false;
    return "";
  }

  static absl::Duration Soon() { return SteadyNow() + absl::Seconds(60); }

  FuzzInput& input_;
  const std::string bitcode_ = ParseToBitcode("define weak i32 @more() { ret i32 1 }");
  pid_t process_ = -1;
  std::unique_ptr<MessageChannel> channel_;
  uint64_t address_ = 0;
  bool is_open_ = true;
  int sent_ = 0;
};

TEST(IsolationFuzzTest, Process) {
  FuzzInput input(1);
  for (int sent = 0; sent < messages && !::testing::Test::HasFailure();) {
    WrongClient client(input);
    while (client.is_open() && client.sent() < 400) client.SendSome(0);
    sent += client.sent();
  }
}

// --- The client's end ---

// Code that takes over the isolated process.
constexpr char kTakesOver[] = R"(
  declare void @take_over(i32)
  define void @takes_over(i32 %seed) {
    call void @take_over(i32 %seed)
    ret void
  })";

// Finds this process's end of the conversation. Others are not stream sockets.
int FindSocket() {
  for (int file = 3; file < 1000; ++file) {
    int type = 0;
    socklen_t size = sizeof(type);
    if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM) {
      return file;
    }
  }
  return -1;
}

// How many bytes the right answer to a request has.
size_t SizeOfAnswer(const Message& request) {
  Decoder decoder(request.bytes);
  switch (KindOf(request.kind)) {
    case Kind::kCall: {
      (void)decoder.String();
      const absl::StatusOr<ForeignType> type = DecodeType(decoder);
      return type.ok() ? LayoutOf(*type).size : 0;
    }
    case Kind::kRead:
      (void)decoder.U64();
      return decoder.U64();
    case Kind::kAllocate:
      return sizeof(uint64_t);
    case Kind::kRunMain:
    case Kind::kAddAssembly:
      return sizeof(uint32_t);
    default:
      return 0;
  }
}

std::string SomeAnswer(size_t size, FuzzInput& input) {
  Encoder answer;
  EncodeStatus(input.Once(10) ? absl::UnknownError("made up") : absl::OkStatus(), answer);
  answer.Raw(std::string(input.Once(50) ? input.Below(20) : size, '\1'));
  return input.Once(50) ? input.Damaged(answer.bytes()) : answer.bytes();
}

std::string SomeCallback(FuzzInput& input) {
  Encoder callback;
  callback.U32(input.Once(50) ? input.Below(1000) : input.Below(2));
  callback.Raw(std::string(input.Once(50) ? input.Below(20) : 8, '\1'));
  return callback.bytes();
}

// In the isolated process: takes over the conversation, which waits for an answer at level 0. The
// first answer is right.
[[noreturn]] void AnswerAnything(uint32_t seed) {
  FuzzInput input(seed);
  const int socket = FindSocket();
  MessageChannel channel(socket);
  Encoder ok;
  EncodeStatus(absl::OkStatus(), ok);
  channel.Send(MessageKind(Kind::kAnswer, 0), ok.bytes(), absl::InfiniteDuration()).IgnoreError();
  // The requests that wait for their answers, the last one sent last.
  std::vector<size_t> sizes;
  while (true) {
    const absl::StatusOr<Message> message = channel.Receive(absl::InfiniteDuration());
    if (!message.ok()) _exit(0);
    // After a callback's result, the request around it waits for its answer.
    const bool is_request = KindOf(message->kind) != Kind::kCallbackResult;
    sizes.resize(LevelOf(message->kind) + (is_request ? 1 : 0));
    if (sizes.empty()) _exit(0);
    if (is_request) sizes.back() = SizeOfAnswer(*message);
    const size_t level = sizes.size() - 1;
    const bool calls_back = level < 20 && input.Once(3);
    Kind kind = calls_back ? Kind::kCallback : Kind::kAnswer;
    size_t its_level = calls_back ? level + 1 : level;
    if (input.Once(300)) kind = static_cast<Kind>(input.Below(20));
    if (input.Once(300)) its_level = input.Below(4);
    if (input.Once(500)) {
      const std::string bytes = input.Bytes();
      (void)!write(socket, bytes.data(), bytes.size());
      _exit(0);
    }
    const std::string bytes = calls_back ? SomeCallback(input) : SomeAnswer(sizes.back(), input);
    if (!channel.Send(MessageKind(kind, its_level), bytes, absl::InfiniteDuration()).ok()) _exit(0);
  }
}

absl::StatusOr<std::unique_ptr<IsolatedEngine>> MakeEngine(FuzzInput& input) {
  EngineOptions options;
  options.symbol_finder = [](absl::string_view name) {
    return name == "take_over" ? reinterpret_cast<void*>(&AnswerAnything) : nullptr;
  };
  IsolationOptions isolation;
  isolation.call_time = absl::Seconds(60);
  const auto add = [&input](IsolatedEngine& engine, absl::Span<const ForeignValue> arguments,
                            const ForeignValue& result) -> absl::Status {
    int32_t number = 3;
    if (input.Once(4)) {
      engine.Call("square", {ForeignKind::kInt32, &number}, arguments.subspan(1)).IgnoreError();
    }
    if (input.Once(4)) engine.Read(16, input.Below(20)).IgnoreError();
    if (input.Once(100)) return absl::UnknownError("made up");
    if (result.bytes != nullptr) *static_cast<int32_t*>(result.bytes) = number;
    return absl::OkStatus();
  };
  isolation.callbacks = {
      {"host_add", ForeignKind::kInt32, {ForeignKind::kInt32, ForeignKind::kInt32}, add},
      {"host_takes_pair",
       ForeignKind::kVoid,
       {ForeignType({ForeignKind::kInt8, ForeignKind::kInt16}), ForeignKind::kInt32},
       add}};
  return IsolatedEngine::Create(std::move(options), std::move(isolation));
}

void UseOnce(IsolatedEngine& engine, FuzzInput& input) {
  int32_t number = 1;
  switch (input.Below(8)) {
    case 0: {
      const absl::StatusOr<ModuleId> module = engine.AddAssembly("", "empty");
      if (module.ok()) engine.Remove(*module).IgnoreError();
      return;
    }
    case 1:
      (void)engine.RunMain({"a"});
      return;
    case 2:
      (void)engine.Allocate(5);
      return;
    case 3:
      (void)engine.Read(16, input.Below(20));
      return;
    case 4:
      engine.Write(16, input.Bytes()).IgnoreError();
      return;
    case 5:
      engine.Call("nothing", {}, {}).IgnoreError();
      return;
    default:
      engine.Call("f", {ForeignKind::kInt32, &number}, {{ForeignKind::kInt32, &number}})
          .IgnoreError();
  }
}

TEST(IsolationFuzzTest, Client) {
  FuzzInput input(2);
  for (int sent = 0; sent < messages;) {
    ASSERT_OK_AND_ASSIGN(const auto engine, MakeEngine(input));
    ASSERT_THAT(engine->AddAssembly(kTakesOver, "takes over"), IsOk());
    bool is_taken_over = false;
    for (int use = 0; use < 1000 && sent < messages; ++use, ++sent) {
      if (engine->process() == 0) {
        EXPECT_TRUE(engine->end() && engine->end()->how != ChildEnd::How::kTimedOut);
        ASSERT_THAT(engine->Restart(), IsOk());
        is_taken_over = false;
      }
      if (!is_taken_over) {
        uint32_t seed = input.Below(1 << 30);
        ASSERT_THAT(engine->Call("takes_over", {}, {{ForeignKind::kUint32, &seed}}), IsOk());
        is_taken_over = true;
      }
      UseOnce(*engine, input);
    }
  }
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) { return firstcall::RunFuzzTests(argc, argv, firstcall::messages); }
