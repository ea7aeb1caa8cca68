#include "base/forks.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

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

}  // namespace
}  // namespace firstcall
