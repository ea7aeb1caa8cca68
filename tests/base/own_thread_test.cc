#include "base/own_thread.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <csignal>
#include <memory>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/host.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr size_t kStackBytes = 256 << 10;

TEST(OwnThreadTest, DoesItsWork) {
  std::atomic<bool> is_done{false};
  std::unique_ptr<OwnThread> thread =
      OwnThread::Start(kStackBytes, [&] { is_done = true; }).value();
  EXPECT_FALSE(thread->IsThisThread());
  thread->Join();
  EXPECT_TRUE(is_done);
}

TEST(OwnThreadTest, ComputesAsIfNobodyHadSetAnything) {
  std::fesetround(FE_UPWARD);
  int rounding = -1;
  OwnThread::Start(kStackBytes, [&] { rounding = std::fegetround(); }).value()->Join();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(rounding, FE_TONEAREST);
}

// The pages of the calling thread's stack that are resident.
size_t ResidentPagesOfStack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* begin = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  std::vector<unsigned char> pages(size / static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  if (mincore(begin, size, pages.data()) != 0) return pages.size();
  return static_cast<size_t>(std::count_if(pages.begin(), pages.end(),
                                           [](unsigned char page) { return (page & 1) != 0; }));
}

TEST(OwnThreadTest, ItsUnusedStackIsNotResidentThoughMemoryIsLocked) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator locks no memory";
  if (mlockall(MCL_FUTURE) != 0) GTEST_SKIP() << "this process may not lock memory";
  constexpr size_t kLargeStack = 4 << 20;
  size_t resident = 0;
  const auto thread = OwnThread::Start(kLargeStack, [&] { resident = ResidentPagesOfStack(); });
  munlockall();
  if (!thread.ok()) GTEST_SKIP() << "this process may not lock so much: " << thread.status();
  (*thread)->Join();
  EXPECT_GT(resident, 0u);
  EXPECT_LT(resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)), kLargeStack / 8);
}

TEST(OwnThreadTest, MayBeLeftAlone) {
  absl::Notification is_done;
  OwnThread::Start(kStackBytes, [&] { is_done.Notify(); }).value()->Detach();
  is_done.WaitForNotification();
}

TEST(OwnThreadTest, HasTheStackThatWasAskedFor) {
  std::unique_ptr<OwnThread> thread = OwnThread::Start(32 << 20, [] {
                                        volatile char large[24 << 20];
                                        large[0] = large[sizeof(large) - 1] = 1;
                                      }).value();
  thread->Join();
}

thread_local bool is_own = false;
std::atomic<int> handled{0};
std::atomic<int> handled_by_own{0};

TEST(OwnThreadTest, SignalsOfTheProcessAreHandledByOtherThreads) {
  signal(SIGUSR1, [](int) { ++(is_own ? handled_by_own : handled); });
  absl::Notification has_begun, may_end;
  std::unique_ptr<OwnThread> thread = OwnThread::Start(kStackBytes, [&] {
                                        is_own = true;
                                        has_begun.Notify();
                                        may_end.WaitForNotification();
                                      }).value();
  has_begun.WaitForNotification();
  // While no other thread takes it, it stays pending.
  sigset_t one, old;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &one, &old);
  kill(getpid(), SIGUSR1);
  absl::SleepFor(absl::Milliseconds(20));
  EXPECT_EQ(handled + handled_by_own, 0);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(handled_by_own, 0);
  may_end.Notify();
  thread->Join();
  signal(SIGUSR1, SIG_DFL);
}

TEST(OwnThreadTest, WithoutRoomForAStackThereIsNone) {
  bool has_run = false;
  absl::StatusOr<std::unique_ptr<OwnThread>> thread =
      OwnThread::Start(size_t{1} << 50, [&] { has_run = true; });
  EXPECT_THAT(thread.status(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_FALSE(has_run);
}

}  // namespace
}  // namespace firstcall
