#include "services/isolation/conversation.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/socket_pair.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using Kind = IsolationMessage;

// The test is the client. A request's bytes are "plain", or name an entry of `actions_`.
class ConversationTest : public ::testing::Test {
 protected:
  ConversationTest() {
    SocketPair sockets;
    client_ = std::make_unique<MessageChannel>(sockets.one.Release());
    conversation_ = std::make_unique<Conversation>(
        sockets.other.Release(), [this](Kind, absl::string_view request) -> std::string {
          if (request == "calls back") return absl::StrCat("(", conversation_->CallBack("c"), ")");
          if (request == "waits") {
            std::thread thread([&] { conversation_->CallBack("of a thread"); });
            thread.join();
          }
          return absl::StrCat("answer to ", request);
        });
    server_ = std::thread([this] { conversation_->Serve(); });
  }
  ~ConversationTest() override {
    client_ = nullptr;
    server_.join();
  }

  void Send(Kind kind, size_t level, absl::string_view bytes) {
    EXPECT_THAT(client_->Send(MessageKind(kind, level), bytes, absl::InfiniteDuration()), IsOk());
  }
  void Expect(Kind kind, size_t level, absl::string_view bytes) {
    ASSERT_OK_AND_ASSIGN(const Message message, client_->Receive(absl::InfiniteDuration()));
    EXPECT_EQ(KindOf(message.kind), kind);
    EXPECT_EQ(LevelOf(message.kind), level);
    EXPECT_EQ(message.bytes, bytes);
  }

  std::unique_ptr<MessageChannel> client_;
  std::unique_ptr<Conversation> conversation_;
  std::thread server_;
};

TEST_F(ConversationTest, RequestsAreAnswered) {
  for (int i = 0; i < 3; ++i) {
    Send(Kind::kCall, 0, "plain");
    Expect(Kind::kAnswer, 0, "answer to plain");
  }
}

TEST_F(ConversationTest, CallbacksAndRequestsNest) {
  Send(Kind::kCall, 0, "calls back");
  Expect(Kind::kCallback, 1, "c");
  Send(Kind::kCall, 1, "calls back");
  Expect(Kind::kCallback, 2, "c");
  Send(Kind::kCall, 2, "plain");
  Expect(Kind::kAnswer, 2, "answer to plain");
  Send(Kind::kCallbackResult, 2, "inner");
  Expect(Kind::kAnswer, 1, "(inner)");
  Send(Kind::kCallbackResult, 1, "outer");
  Expect(Kind::kAnswer, 0, "(outer)");
}

TEST_F(ConversationTest, ARequestMayWaitForAThreadThatCallsBack) {
  Send(Kind::kCall, 0, "calls back");
  Expect(Kind::kCallback, 1, "c");
  Send(Kind::kCall, 1, "waits");
  Expect(Kind::kCallback, 2, "of a thread");
  Send(Kind::kCallbackResult, 2, "");
  Expect(Kind::kAnswer, 1, "answer to waits");
  Send(Kind::kCallbackResult, 1, "done");
  Expect(Kind::kAnswer, 0, "(done)");
}

TEST_F(ConversationTest, ARequestThatCrossesACallbackGoesToTheServingThread) {
  std::string result;
  std::thread thread([&] { result = conversation_->CallBack("of a thread"); });
  Expect(Kind::kCallback, 1, "of a thread");
  Send(Kind::kCall, 0, "plain");
  Send(Kind::kCall, 1, "plain");
  Expect(Kind::kAnswer, 1, "answer to plain");
  Send(Kind::kCallbackResult, 1, "result");
  thread.join();
  EXPECT_EQ(result, "result");
  Expect(Kind::kAnswer, 0, "answer to plain");
}

// Each of many threads gets its own result, and answers come although there always is a callback.
TEST_F(ConversationTest, ThreadsCallBackWithoutEnd) {
  std::atomic<bool> stops{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      const std::string name = absl::StrCat(i);
      while (!stops) {
        if (conversation_->CallBack(name) != name) ++wrong;
      }
    });
  }
  const auto serve_until_answer = [&] {
    while (true) {
      const absl::StatusOr<Message> message = client_->Receive(absl::InfiniteDuration());
      ASSERT_THAT(message, IsOk());
      if (KindOf(message->kind) == Kind::kAnswer) return;
      EXPECT_EQ(LevelOf(message->kind), 1u);
      Send(Kind::kCallbackResult, 1, message->bytes);
    }
  };
  for (int i = 0; i < 200; ++i) {
    Send(Kind::kCall, 0, "plain");
    serve_until_answer();
  }
  stops = true;
  // The last callbacks may be on their way.
  std::thread waits([&] {
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    client_->Send(MessageKind(Kind::kCall, 0), "plain", absl::InfiniteDuration()).IgnoreError();
  });
  serve_until_answer();
  waits.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ConversationTest, AThreadIsNotCancelledInACallback) {
  struct Caller {
    Conversation* conversation;
    std::atomic<bool> has_result{false};
  } caller{conversation_.get()};
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void* argument) -> void* {
                  auto* const self = static_cast<Caller*>(argument);
                  self->has_result = self->conversation->CallBack("c") == "result";
                  return nullptr;
                },
                &caller),
            0);
  Expect(Kind::kCallback, 1, "c");
  ASSERT_EQ(pthread_cancel(thread), 0);
  Send(Kind::kCall, 1, "plain");
  Expect(Kind::kAnswer, 1, "answer to plain");
  Send(Kind::kCallbackResult, 1, "result");
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_TRUE(caller.has_result);
}

TEST_F(ConversationTest, WhatNoClientSendsIsTheEnd) {
  for (const uint32_t kind : {MessageKind(Kind::kCall, 1), MessageKind(Kind::kCallbackResult, 0)}) {
    SocketPair sockets;
    MessageChannel client(sockets.one.Release());
    Conversation conversation(sockets.other.Release(), [](Kind, absl::string_view) { return ""; });
    EXPECT_THAT(client.Send(kind, "", absl::InfiniteDuration()), IsOk());
    conversation.Serve();
  }
}

TEST_F(ConversationTest, AForkedCopyEndsWhenItCallsBack) {
  const pid_t copy = fork();
  if (copy == 0) {
    conversation_->CallBack("c");
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(copy, &status, 0), copy);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

}  // namespace
}  // namespace firstcall
