#include "base/forks.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include "absl/base/internal/cycleclock.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

std::string calls;

// What `child` returns in a forked child, as its exit status.
int InChild(const std::function<int()>& child) {
  const pid_t process = fork();
  if (process == 0) _exit(child());
  int status = -1;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return WEXITSTATUS(status);
}

TEST(ForksTest, OutermostHandlersArePreparedFirstThoughTheyAreAddedLast) {
  AddForkHandlers({[] { calls += "a"; }, [] { calls += "A"; }, [] { calls += "1"; }});
  AddForkHandlers({nullptr, nullptr, [] { calls += "2"; }});
  AddOutermostForkHandlers({[] { calls += "o"; }, [] { calls += "O"; }, [] { calls += "0"; }});
  calls.clear();
  EXPECT_EQ(InChild([] { return calls == "oa210" ? 7 : 8; }), 7);
  EXPECT_EQ(calls, "oaAO");
}

int prepared = 0, told = 0;

TEST(ForksTest, AnyNumberOfHandlersMayBeAdded) {
  constexpr int kMany = 100;
  for (int i = 0; i < kMany; ++i) {
    AddForkHandlers({[] { ++prepared; }, [] { ++told; }, [] { ++told; }});
  }
  calls.clear();
  EXPECT_EQ(InChild([] { return told == kMany && calls == "oa210" ? 7 : 8; }), 7);
  EXPECT_EQ(prepared, kMany);
  EXPECT_EQ(told, kMany);
  EXPECT_EQ(calls, "oaAO");
}

TEST(ForksTest, EachForkCountsInTheParent) {
  const uint64_t before = ForkCount();
  InChild([] { return 0; });
  InChild([] { return 0; });
  EXPECT_EQ(ForkCount(), before + 2);
}

TEST(ForksTest, EachDescendantHasAnotherIdentity) {
  const uint64_t own = ProcessIdentity();
  EXPECT_EQ(ProcessIdentity(), own);
  EXPECT_EQ(InChild([&] {
              const uint64_t childs = ProcessIdentity();
              if (childs == own || ProcessIdentity() != childs) return 8;
              return InChild([&] {
                const uint64_t grandchilds = ProcessIdentity();
                return grandchilds == own || grandchilds == childs ? 9 : 7;
              });
            }),
            7);
  EXPECT_EQ(ProcessIdentity(), own);
}

TEST(ForksTest, AChildThatRunsNoHandlersHasAnotherIdentity) {
#ifdef SYS_fork
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not clear the page";
  const uint64_t own = ProcessIdentity();
  const auto process = static_cast<pid_t>(syscall(SYS_fork));
  if (process == 0) _exit(ProcessIdentity() != own ? 7 : 8);
  int status = -1;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  EXPECT_EQ(WEXITSTATUS(status), 7);
#else
  GTEST_SKIP() << "the system has no such call";
#endif
}

// It uses its parent's memory.
TEST(ForksTest, AChildOfVforkHasItsParentsIdentity) {
  if (!HasVfork()) GTEST_SKIP() << "the process is forked instead";
  const uint64_t own = ProcessIdentity();
  static volatile uint64_t childs;
  static volatile bool borrows;
  const pid_t process = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (process == 0) {
    childs = ProcessIdentity();
    borrows = BorrowsMemory();
    _exit(0);
  }
  waitpid(process, nullptr, 0);
  EXPECT_EQ(childs, own);
  EXPECT_TRUE(borrows);
  EXPECT_FALSE(BorrowsMemory());
  EXPECT_EQ(InChild([] { return BorrowsMemory() ? 8 : 7; }), 7);
}

// The process has one thread, and Abseil has not measured its clock. Lets two threads wait for a
// mutex, so that Abseil does; forks after `delay`; and returns what the child finds, which needs
// the clock.
int ForkWhileAbseilMeasures(absl::Duration delay) {
  absl::Mutex mutex;
  mutex.Lock();
  const auto wait = [&mutex] { absl::MutexLock lock(&mutex); };
  std::thread first(wait), second(wait);
  absl::SleepFor(delay);
  const int found = InChild([] {
    alarm(20);
    return absl::base_internal::CycleClock::Frequency() > 0 ? 7 : 8;
  });
  mutex.Unlock();
  first.join();
  second.join();
  return found;
}

// The measurement takes some milliseconds.
TEST(ForksTest, AChildDoesNotWaitForAnotherThreadsMeasurementOfTheClock) {
  (void)ForkCount();
  for (int i = 0; i < 20; ++i) {
    const absl::Duration delay = absl::Microseconds(100 * i);
    EXPECT_EQ(InChild([delay] { return ForkWhileAbseilMeasures(delay); }), 7) << delay;
  }
}

}  // namespace
}  // namespace firstcall
