#include "runtime/process/ask_scope.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

// A thread that asks until it is told to end.
class Asker {
 public:
  Asker() { asks_.WaitForNotification(); }
  ~Asker() { thread_.join(); }
  void End() { may_end_.Notify(); }
  bool has_ended() const { return has_ended_; }

 private:
  void Run() {
    AskScope scope;
    asks_.Notify();
    may_end_.WaitForNotification();
    has_ended_ = true;
  }

  absl::Notification asks_;
  absl::Notification may_end_;
  std::atomic<bool> has_ended_{false};
  std::thread thread_{[this] { Run(); }};
};

TEST(AskScopeTest, NobodyIsWaitedForIfNobodyAsks) {
  { AskScope scope; }
  AskScope::WaitForThreads();
}

TEST(AskScopeTest, ThreadsThatAskAreWaitedFor) {
  Asker asker;
  std::thread other([&] { asker.End(); });
  AskScope::WaitForThreads();
  EXPECT_TRUE(asker.has_ended());
  other.join();
}

TEST(AskScopeTest, AForkedChildDoesNotWaitForTheThreadsOfItsParent) {
  AskScope::NoticeForks();
  Asker asker;
  const pid_t child = fork();
  if (child == 0) {
    AskScope::WaitForThreads();
    _exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  asker.End();
}

}  // namespace
}  // namespace firstcall
