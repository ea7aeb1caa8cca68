// Calls over a socket, with the other end in the hands of the test or of a thread that serves it.

#include "services/executor/socket_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/coding.h"
#include "base/file.h"
#include "base/kept_file.h"
#include "base/message_stream.h"
#include "base/socket_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/executor/executor_messages.h"
#include "services/executor/serve_executor.h"
#include "services/executor/shared_memory_executor.h"
#include "services/executor/shared_memory_mapper.h"
#include "tests/testing/socket_pair.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

auto IsGone(const std::string& reason) {
  return StatusIs(absl::StatusCode::kUnavailable,
                  HasSubstr("code memory: the executing process is gone: " + reason));
}

class SocketConnectionTest : public testing::Test {
 protected:
  void SetUp() override {
    int sockets[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    connection_ = std::make_unique<SocketConnection>(sockets[0]);
    other_end_.emplace(File(sockets[1]));
  }

  void CloseOtherEnd() { other_end_->Close(); }
  absl::StatusOr<StreamMessage> ReceiveRequest() {
    return ReceiveMessage(*other_end_, kLongestExecutorMessage, StreamPatience());
  }
  absl::Status SendAnswer(uint64_t number, const std::string& bytes) {
    return SendMessage(*other_end_, number, bytes, kLongestExecutorMessage, StreamPatience());
  }

  std::unique_ptr<SocketConnection> connection_;
  std::optional<KeptFile> other_end_;
};

TEST_F(SocketConnectionTest, AnswersFindTheirCallsInAnyOrder) {
  constexpr int kCalls = 8;
  std::vector<std::string> answers(kCalls);
  std::vector<std::thread> callers;
  for (int i = 0; i < kCalls; ++i) {
    callers.emplace_back([&, i] { answers[i] = *connection_->Call(absl::StrCat("request ", i)); });
  }
  // All are waiting before the first is answered, and the last is answered first.
  std::vector<StreamMessage> requests;
  for (int i = 0; i < kCalls; ++i) {
    ASSERT_OK_AND_ASSIGN(StreamMessage request, ReceiveRequest());
    requests.push_back(std::move(request));
  }
  for (int i = kCalls; i-- > 0;) {
    ASSERT_THAT(SendAnswer(requests[i].tag, "answer to " + requests[i].bytes), IsOk());
  }
  for (std::thread& caller : callers) caller.join();
  for (int i = 0; i < kCalls; ++i) EXPECT_EQ(answers[i], absl::StrCat("answer to request ", i));
}

TEST_F(SocketConnectionTest, LongMessagesArriveWhole) {
  std::string request(5 << 20, '\0');
  for (size_t i = 0; i < request.size(); ++i) request[i] = static_cast<char>(i * i >> 8);
  std::thread echo([&] {
    ASSERT_OK_AND_ASSIGN(StreamMessage message, ReceiveRequest());
    ASSERT_THAT(SendAnswer(message.tag, message.bytes), IsOk());
  });
  ASSERT_OK_AND_ASSIGN(std::string answer, connection_->Call(request));
  echo.join();
  EXPECT_TRUE(answer == request);
}

TEST_F(SocketConnectionTest, TooLongARequestHarmsNothing) {
  EXPECT_THAT(
      connection_->Call(std::string(kLongestExecutorMessage + 1, 'x')),
      StatusIs(absl::StatusCode::kInvalidArgument, "a message of 67108865 bytes is too long"));
  std::thread echo([&] {
    ASSERT_OK_AND_ASSIGN(StreamMessage message, ReceiveRequest());
    ASSERT_THAT(SendAnswer(message.tag, message.bytes), IsOk());
  });
  ASSERT_OK_AND_ASSIGN(std::string answer, connection_->Call("short"));
  echo.join();
  EXPECT_EQ(answer, "short");
}

// Sending would raise SIGPIPE, whose default is to end the process.
TEST_F(SocketConnectionTest, ClosedOtherEndIsAnError) {
  ASSERT_EQ(signal(SIGPIPE, SIG_DFL), SIG_DFL);
  CloseOtherEnd();
  EXPECT_THAT(connection_->Call("anyone?"), IsGone("sendmsg: Broken pipe"));
  EXPECT_THAT(connection_->Call("anyone?"), IsGone("sendmsg: Broken pipe"));
}

TEST_F(SocketConnectionTest, EndWhileCallsWaitIsAnErrorForAll) {
  std::vector<absl::Status> statuses(4);
  std::vector<std::thread> callers;
  for (absl::Status& status : statuses) {
    callers.emplace_back([&] { status = connection_->Call("request").status(); });
  }
  for (size_t i = 0; i < statuses.size(); ++i) ASSERT_THAT(ReceiveRequest(), IsOk());
  CloseOtherEnd();
  for (std::thread& caller : callers) caller.join();
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(status, IsGone("it has closed the connection"));
  }
}

TEST_F(SocketConnectionTest, WhatIsNoAnswerEndsTheConnection) {
  std::thread other([&] {
    ASSERT_OK_AND_ASSIGN(StreamMessage message, ReceiveRequest());
    ASSERT_THAT(SendAnswer(message.tag + 1, "?"), IsOk());
  });
  EXPECT_THAT(connection_->Call("request"), IsGone("an answer that nobody waits for"));
  other.join();
}

TEST_F(SocketConnectionTest, AnswerThatBreaksOffIsAnError) {
  std::thread other([&] {
    ASSERT_THAT(ReceiveRequest(), IsOk());
    Encoder half;
    half.U64(1);
    half.U32(100);
    half.U64(0);
    ASSERT_THAT(SendStream(*other_end_, {half.bytes()}, StreamPatience()), IsOk());
    CloseOtherEnd();
  });
  EXPECT_THAT(connection_->Call("request"), IsGone("the connection ended within a message"));
  other.join();
}

TEST_F(SocketConnectionTest, TheBudgetLimitsTheWaitForAnAnswer) {
  SocketPair sockets;
  SocketConnection impatient(sockets.one.Release(), absl::Milliseconds(10));
  EXPECT_THAT(impatient.Call("request"), IsGone("it does not answer"));
}

// --- With ServeExecutor at the other end ---

class ServedConnectionTest : public SocketConnectionTest {
 protected:
  void SetUp() override {
    SocketConnectionTest::SetUp();
    server_ =
        std::thread([this] { served_ = ServeExecutor(dup(other_end_->number()), executor_); });
  }
  void TearDown() override {
    connection_.reset();
    if (server_.joinable()) server_.join();
  }

  SharedMemoryExecutor executor_;
  absl::Status served_;
  std::thread server_;
};

TEST_F(ServedConnectionTest, ServesUntilTheOtherSideCloses) {
  {
    std::shared_ptr<SocketConnection> connection(std::move(connection_));
    ASSERT_OK_AND_ASSIGN(auto mapper, SharedMemoryMapper::Create(std::move(connection)));
    ASSERT_THAT(mapper->Reserve(mapper->page_size(), ExecutorAddress()), IsOk());
  }
  server_.join();
  EXPECT_THAT(served_, IsOk());
}

// For the thread sanitizer, a message over a descriptor that fcntl has made orders nothing. So what
// an action shares with the test is an atomic object that exists from the beginning.

// A constructor in the executing process calls a function that has to be compiled.
TEST_F(ServedConnectionTest, ActionMayWaitForFurtherRequests) {
  struct Both {
    absl::Notification runs;
    absl::Notification is_compiled;
  } both;
  static std::atomic<Both*> shared{nullptr};
  shared.store(&both, std::memory_order_release);
  void (*wait)(void*) = [](void* argument) {
    Both& of_test = *shared.load(std::memory_order_acquire);
    EXPECT_EQ(argument, &of_test);
    of_test.runs.Notify();
    of_test.is_compiled.WaitForNotification();
    shared.store(nullptr, std::memory_order_release);
  };
  std::shared_ptr<SocketConnection> connection(std::move(connection_));
  ASSERT_OK_AND_ASSIGN(auto mapper, SharedMemoryMapper::Create(std::move(connection)));
  ASSERT_OK_AND_ASSIGN(Slab slab, mapper->Reserve(mapper->page_size(), ExecutorAddress()));
  const ExecutorAction action = {ExecutorAddress::Of(reinterpret_cast<const void*>(wait)),
                                 ExecutorAddress::Of(&both)};
  std::thread caller([&] { EXPECT_THAT(mapper->Finalize(slab, {{}, {action}, {}}), IsOk()); });
  both.runs.WaitForNotification();
  const SlabSegment page{{0, mapper->page_size()}, Protection::kReadExecute};
  EXPECT_THAT(mapper->Initialize(slab, {page}), IsOk());
  EXPECT_THAT(mapper->Finalize(slab, {{page}, {}, {}}), IsOk());
  EXPECT_THAT(mapper->SynchronizeInstructions(), IsOk());
  both.is_compiled.Notify();
  caller.join();
  EXPECT_EQ(shared.load(std::memory_order_acquire), nullptr);
}

TEST_F(ServedConnectionTest, ThreadsWorkAtOnce) {
  std::shared_ptr<SocketConnection> connection(std::move(connection_));
  ASSERT_OK_AND_ASSIGN(auto mapper, SharedMemoryMapper::Create(std::move(connection)));
  const size_t page = mapper->page_size();
  using Count = std::atomic<int>;
  constexpr int kThreads = 4;
  static Count counts[kThreads];
  void (*add_one)(void*) = [](void* argument) { ++*static_cast<Count*>(argument); };
  const auto work = [&](Count& count) {
    count = 0;
    const ExecutorAction action = {ExecutorAddress::Of(reinterpret_cast<const void*>(add_one)),
                                   ExecutorAddress::Of(&count)};
    const SlabSegment segment{{0, page}, Protection::kReadWrite};
    for (int i = 0; i < 30; ++i) {
      ASSERT_OK_AND_ASSIGN(Slab slab, mapper->Reserve(page, ExecutorAddress()));
      ASSERT_OK_AND_ASSIGN(std::vector<uint8_t*> written, mapper->Initialize(slab, {segment}));
      *written[0] = 'x';
      ASSERT_THAT(mapper->Finalize(slab, {{segment}, {action}, {action}}), IsOk());
      EXPECT_EQ(*slab.run.InThisProcess<const char*>(), 'x');
      ASSERT_THAT(mapper->Release(slab), IsOk());
    }
    EXPECT_EQ(count, 60);
  };
  std::vector<std::thread> threads;
  for (Count& count : counts) threads.emplace_back(work, std::ref(count));
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ServedConnectionTest, WhatIsNoRequestIsAnsweredAsSuch) {
  ASSERT_OK_AND_ASSIGN(std::string answer, connection_->Call("gibberish"));
  EXPECT_THAT(DecodeAnswer(answer), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(ServedConnectionTest, WhatIsNoMessageEndsServing) {
  SocketPair sockets;
  const uint64_t nonsense[] = {~uint64_t{0}, ~uint64_t{0}};
  ASSERT_EQ(send(sockets.one.number(), nonsense, sizeof(nonsense), 0),
            static_cast<ssize_t>(sizeof(nonsense)));
  EXPECT_THAT(ServeExecutor(sockets.other.Release(), executor_),
              StatusIs(absl::StatusCode::kInvalidArgument));
  char byte;
  EXPECT_LE(recv(sockets.one.number(), &byte, 1, 0), 0);  // The other side learns of it.
}

// The answer cannot be sent any more when the action is over, which must not raise SIGPIPE.
TEST_F(ServedConnectionTest, OtherSideMayEndWhileAnActionRuns) {
  struct Both {
    absl::Notification runs;
    absl::Notification may_end;
    bool has_ended = false;
  } both;
  void (*wait)(void*) = [](void* argument) {
    static_cast<Both*>(argument)->runs.Notify();
    static_cast<Both*>(argument)->may_end.WaitForNotification();
    static_cast<Both*>(argument)->has_ended = true;
  };
  ASSERT_OK_AND_ASSIGN(const ExecutorAddress slab, executor_.Reserve(4096, ExecutorAddress()));
  const ExecutorAction action = {ExecutorAddress::Of(reinterpret_cast<const void*>(wait)),
                                 ExecutorAddress::Of(&both)};
  Encoder request = RequestOf(ExecutorOperation::kFinalize);
  EncodeAddress(slab, request);
  EncodeSegments({}, request);
  EncodeActions({action}, request);
  EncodeActions({}, request);
  SocketPair sockets;
  KeptFile here(std::move(sockets.one));
  absl::Status served;
  std::thread server([&] { served = ServeExecutor(sockets.other.Release(), executor_); });
  ASSERT_THAT(SendMessage(here, 1, request.bytes(), kLongestExecutorMessage, StreamPatience()),
              IsOk());
  both.runs.WaitForNotification();
  here.Close();
  both.may_end.Notify();
  server.join();
  EXPECT_TRUE(both.has_ended);
  EXPECT_THAT(served, IsOk());
}

}  // namespace
}  // namespace firstcall
