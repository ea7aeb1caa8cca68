#include "runtime/process/work_scope.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

int StatusOf(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WEXITSTATUS(status);
}

TEST(WorkScopeTest, ForkInTheMiddleOfARemovalWaitsForNobody) {
  ExclusiveWorkScope scope;
  const pid_t child = fork();
  if (child == 0) {
    // In its middle the child is, too.
    std::atomic<bool> has_begun{false};
    std::thread other([&] {
      WorkScope work;
      has_begun = true;
    });
    absl::SleepFor(absl::Milliseconds(20));
    const int status = has_begun ? 4 : 3;
    other.detach();
    _exit(status);
  }
  EXPECT_EQ(StatusOf(child), 3);
}

TEST(WorkScopeTest, ForkedChildGoesOnWithItsWork) {
  WorkScope scope;
  const pid_t child = fork();
  if (child == 0) {
    // It counts: nobody else closes the gate.
    absl::Notification is_closed;
    std::thread([&] {
      ExclusiveWorkScope exclusive;
      is_closed.Notify();
    }).detach();
    _exit(is_closed.WaitForNotificationWithTimeout(absl::Milliseconds(20)) ? 4 : 3);
  }
  EXPECT_EQ(StatusOf(child), 3);
}

TEST(WorkScopeTest, RemovalGetsItsTurnThoughOthersBeginAllTheTime) {
  std::atomic<bool> is_done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!is_done) {
        WorkScope scope;
        absl::SleepFor(absl::Milliseconds(1));
      }
    });
  }
  for (int i = 0; i < 20; ++i) ExclusiveWorkScope scope;
  is_done = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(WorkScopeTest, WhoIsAtWorkMayWaitForOneThatBegins) {
  absl::Notification closes;
  std::thread removal;
  {
    WorkScope scope;
    CallbackScope callback;
    removal = std::thread([&] {
      closes.Notify();
      ExclusiveWorkScope exclusive;
    });
    closes.WaitForNotification();
    absl::SleepFor(absl::Milliseconds(5));
    std::thread([] { WorkScope other; }).join();
  }
  removal.join();
}

TEST(WorkScopeDeathTest, WhatNeedNotBeDoneIsForgottenWhenOnlyAnotherThreadMayBegin) {
  EXPECT_EXIT(
      {
        alarm(60);  // Instead of waiting for ever.
        {
          const WorkScope before(WorkScope::WhenOver::kForget);
          if (!before.is_at_work()) _exit(4);
        }
        WorkScope::KeepForThisThread();
        std::thread([] {
          {
            const WorkScope scope(WorkScope::WhenOver::kForget);
            if (scope.is_at_work() || WorkScope::IsAtWork()) _exit(5);
          }
          if (WorkScope::IsInterrupted()) _exit(6);
        }).join();
        const WorkScope own(WorkScope::WhenOver::kForget);
        _exit(own.is_at_work() ? 3 : 7);
      },
      testing::ExitedWithCode(3), "");
}

std::atomic<bool> is_interrupted{false};

TEST(WorkScopeTest, HandlerOfAThreadThatWaitsToBeginHasInterruptedIt) {
  std::signal(SIGUSR1, [](int) { is_interrupted = WorkScope::IsInterrupted(); });
  absl::Notification begins;
  std::thread other;
  {
    ExclusiveWorkScope exclusive;
    other = std::thread([&] {
      begins.Notify();
      WorkScope scope;
    });
    begins.WaitForNotification();
    while (!is_interrupted) {
      absl::SleepFor(absl::Milliseconds(1));
      pthread_kill(other.native_handle(), SIGUSR1);
    }
  }
  other.join();
  std::signal(SIGUSR1, SIG_DFL);
}

}  // namespace
}  // namespace firstcall
