#include "runtime/process/awaited_work.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/synchronization/barrier.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "runtime/process/work_mutex.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

constexpr absl::Duration kMoment = absl::Milliseconds(20);

// What `child` returns in a forked child.
template <typename Child>
int InChild(Child child) {
  const pid_t process = fork();
  if (process == 0) _exit(child());
  int status = -1;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(AwaitedWorkTest, SeveralCallbacksMayForkAtTheSameTime) {
  constexpr int kThreads = 4;
  absl::Barrier all_are_at_work(kThreads);
  absl::Barrier all_have_forked(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      {
        const WorkScope work;
        const CallbackScope callback;
        all_are_at_work.Block();
        for (int round = 0; round < 5; ++round) EXPECT_EQ(InChild([] { return 7; }), 7);
      }
      // In a child, the thread sanitizer reports threads that had ended, but were not joined.
      all_have_forked.Block();
    });
  }
  for (std::thread& thread : threads) thread.join();
  const ExclusiveWorkScope nobody_is_at_work;
}

TEST(AwaitedWorkTest, ACallbackMayForkWhileAnotherThreadWaitsForItsWork) {
  std::atomic<bool> is_done{false};
  std::thread waits;
  {
    const WorkScope work;
    const CallbackScope callback;
    waits = std::thread([&] {
      const WorkScope other;
      AwaitedWork::Wait([&] { return is_done.load(); });
    });
    absl::SleepFor(kMoment);
    EXPECT_EQ(InChild([] { return 7; }), 7);
    is_done = true;
    AwaitedWork::Tell();
  }
  waits.join();
}

// But not while the other one works.
TEST(AwaitedWorkTest, AForkInACallbackWaitsForThreadsThatAreAtWork) {
  std::atomic<bool> has_worked{false};
  absl::Notification works;
  absl::Notification may_end;  // As above: behind the fork.
  std::thread other([&] {
    {
      const WorkScope work;
      works.Notify();
      absl::SleepFor(kMoment);
      has_worked = true;
    }
    may_end.WaitForNotification();
  });
  works.WaitForNotification();
  {
    const WorkScope work;
    const CallbackScope callback;
    EXPECT_EQ(InChild([&] { return has_worked ? 7 : 8; }), 7);
  }
  may_end.Notify();
  other.join();
}

TEST(AwaitedWorkTest, NumbersTellThreadsOfTheParent) {
  const uint64_t own = AwaitedWork::OwnNumber();
  EXPECT_EQ(AwaitedWork::OwnNumber(), own);
  uint64_t others = 0;
  std::thread([&] { others = AwaitedWork::OwnNumber(); }).join();
  EXPECT_NE(others, own);
  EXPECT_FALSE(AwaitedWork::IsOfParent(others));
  EXPECT_EQ(InChild([&] {
              return AwaitedWork::OwnNumber() == own && !AwaitedWork::IsOfParent(own) &&
                             AwaitedWork::IsOfParent(others)
                         ? 7
                         : 8;
            }),
            7);
}

TEST(WorkMutexTest, OnlyOneThreadHoldsItAndMayLockItAgain) {
  WorkMutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 1000; ++round) {
        const WorkScope work;
        mutex.lock();
        mutex.lock();
        ++count;
        mutex.unlock();
        ++count;
        mutex.unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 8000);
  EXPECT_FALSE(mutex.WasLeftByParent());
}

TEST(WorkMutexTest, IsFreeInTheChildIfAThreadOfTheParentHoldsIt) {
  WorkMutex mutex;
  std::atomic<bool> is_done{false};
  absl::Notification is_held;
  std::thread holds([&] {
    const WorkScope work;
    mutex.lock();
    is_held.Notify();
    AwaitedWork::Wait([&] { return is_done.load(); });
    mutex.unlock();
  });
  is_held.WaitForNotification();
  {
    const WorkScope work;
    const CallbackScope callback;
    EXPECT_FALSE(mutex.try_lock());
    EXPECT_EQ(InChild([&] {
                mutex.lock();
                return mutex.WasLeftByParent() && !mutex.WasLeftByParent() ? 7 : 8;
              }),
              7);
    EXPECT_FALSE(mutex.try_lock());
  }
  is_done = true;
  AwaitedWork::Tell();
  holds.join();
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.WasLeftByParent());
  mutex.unlock();
}

TEST(WorkMutexTest, WhoMayGoOnDoesNotWaitForAHolderThatWaits) {
  WorkMutex mutex;
  std::atomic<bool> is_done{false};
  absl::Notification is_held, waits;
  std::thread holds([&] {
    const WorkScope work;
    mutex.lock();
    is_held.Notify();
    waits.WaitForNotification();
    absl::SleepFor(kMoment);
    AwaitedWork::Wait([&] { return is_done.load(); });
    mutex.unlock();
  });
  is_held.WaitForNotification();
  {
    const WorkScope work;
    waits.Notify();
    EXPECT_FALSE(mutex.LockUnless([] { return true; }));
    is_done = true;
    AwaitedWork::Tell();
    EXPECT_TRUE(mutex.LockUnless([] { return false; }));
    mutex.unlock();
  }
  holds.join();
}

}  // namespace
}  // namespace firstcall
