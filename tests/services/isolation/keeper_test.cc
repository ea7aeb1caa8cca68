#include "services/isolation/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/steady_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/parent_of.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using How = ChildEnd::How;

constexpr uint64_t kNoLimit = ChildLimits().memory;

absl::Duration Soon() { return SteadyNow() + absl::Seconds(60); }

char ReadByte(int socket) {
  char byte = 0;
  return read(socket, &byte, 1) == 1 ? byte : '\0';
}

// A child that says its first byte plus one, and then does what the byte names.
void Obey(int socket) {
  const char byte = ReadByte(socket);
  const char next = static_cast<char>(byte + 1);
  if (write(socket, &next, 1) != 1) _exit(1);
  if (byte == 's') {
    signal(SIGSEGV, SIG_DFL);  // Sanitizers have handlers.
    raise(SIGSEGV);
  }
  if (byte == 'e') _exit(3);
  if (byte == 't') throw byte;
  while (byte == 'w') pause();
}

void Say(const Keeper::Child& child, char byte) {
  ASSERT_EQ(write(child.socket, &byte, 1), 1);
  ASSERT_EQ(ReadByte(child.socket), byte + 1);
}

TEST(KeeperTest, TellsHowItsChildrenEnd) {
  ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
  const struct {
    char byte;
    How how;
    int code;
  } cases[] = {{'r', How::kExited, 0},
               {'e', How::kExited, 3},
               {'s', How::kSignaled, SIGSEGV},
               {'t', How::kSignaled, SIGABRT}};
  for (const auto& end : cases) {
    ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
    EXPECT_NE(child.process, getpid());
    Say(child, end.byte);
    ASSERT_OK_AND_ASSIGN(const ChildEnd ended, keeper->WaitForEnd(Soon()));
    EXPECT_EQ(ended.how, end.how);
    EXPECT_EQ(ended.code, end.code);
    close(child.socket);
  }
}

TEST(KeeperTest, KillsTheChildThatIsMeant) {
  ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
  ASSERT_OK_AND_ASSIGN(const Keeper::Child first, keeper->Start());
  Say(first, 'w');
  keeper->Kill(first.number);
  ASSERT_OK_AND_ASSIGN(const ChildEnd ended, keeper->WaitForEnd(Soon()));
  EXPECT_EQ(ended.how, How::kSignaled);
  EXPECT_EQ(ended.code, SIGKILL);
  close(first.socket);
  ASSERT_OK_AND_ASSIGN(const Keeper::Child second, keeper->Start());
  keeper->Kill(first.number);
  Say(second, 'w');
  EXPECT_THAT(keeper->WaitForEnd(SteadyNow() + absl::Milliseconds(10)),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  close(second.socket);
}

TEST(KeeperTest, NoticeIsReadableAtTheEndOnly) {
  ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
  ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
  pollfd notice = {keeper->end_notice(), POLLIN, 0};
  EXPECT_EQ(poll(&notice, 1, 0), 0);
  Say(child, 'e');
  EXPECT_EQ(poll(&notice, 1, 60000), 1);
  close(child.socket);
}

// A process that has neither ended nor become a zombie.
bool Runs(pid_t process) { return kill(process, 0) == 0; }

void WaitUntilGone(pid_t process) {
  for (int i = 0; Runs(process) && i < 20000; ++i) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_FALSE(Runs(process));
}

TEST(KeeperTest, ChildrenEndWithTheKeepersOwner) {
  pid_t process = 0;
  {
    ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
    // Has a copy of the first one's socket.
    ASSERT_OK_AND_ASSIGN(auto later, Keeper::Create(kNoLimit, Obey));
    ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
    Say(child, 'w');
    process = child.process;
    keeper = nullptr;
    close(child.socket);
    WaitUntilGone(process);
  }
  // Also if the owner is killed.
  int files[2];
  ASSERT_EQ(pipe(files), 0);
  const bool has_notice = syscall(SYS_pidfd_open, getpid(), 0) >= 0;
  const pid_t owner = fork();
  if (owner == 0) {
    auto keeper = Keeper::Create(kNoLimit, Obey);
    const Keeper::Child child = (*keeper)->Start().value();
    const char byte = 'w';
    if (write(child.socket, &byte, 1) != 1 || ReadByte(child.socket) != 'x') _exit(1);
    // Another process of the owner's has copies of all sockets, and goes on.
    const pid_t other = has_notice ? fork() : -1;
    if (other == 0) {
      while (true) pause();
    }
    const pid_t processes[] = {child.process, other};
    if (write(files[1], processes, sizeof(processes)) < 0) _exit(1);
    while (true) pause();
  }
  pid_t processes[2];
  ASSERT_EQ(read(files[0], processes, sizeof(processes)), ssize_t{sizeof(processes)});
  kill(owner, SIGKILL);
  ASSERT_EQ(waitpid(owner, nullptr, 0), owner);
  WaitUntilGone(processes[0]);
  if (processes[1] > 0) kill(processes[1], SIGKILL);
  close(files[0]);
  close(files[1]);
}

TEST(KeeperTest, ASpareTakesThePlaceOfAKilledKeeper) {
  ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
  std::vector<pid_t> keepers;
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
    Say(child, 'w');
    keepers.push_back(ParentOf(child.process));
    kill(keepers.back(), SIGKILL);
    EXPECT_THAT(keeper->WaitForEnd(Soon()),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("was killed")));
    WaitUntilGone(child.process);
    close(child.socket);
  }
  ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
  Say(child, 'e');
  ASSERT_OK_AND_ASSIGN(const ChildEnd ended, keeper->WaitForEnd(Soon()));
  EXPECT_EQ(ended.code, 3);
  close(child.socket);
  const std::set<pid_t> different(keepers.begin(), keepers.end());
  EXPECT_EQ(different.size(), keepers.size());
}

TEST(KeeperTest, AStoppedKeeperCanBeAbandoned) {
  if (syscall(SYS_pidfd_open, getpid(), 0) < 0) GTEST_SKIP() << "the system has no pidfd_open";
  ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
  ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
  Say(child, 'w');
  kill(ParentOf(child.process), SIGSTOP);
  keeper->Kill(child.number);
  EXPECT_THAT(keeper->WaitForEnd(SteadyNow() + absl::Milliseconds(10)),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  keeper->Abandon();
  EXPECT_THAT(keeper->WaitForEnd(Soon()), StatusIs(absl::StatusCode::kUnavailable));
  WaitUntilGone(child.process);
  close(child.socket);
  ASSERT_OK_AND_ASSIGN(const Keeper::Child next, keeper->Start());
  Say(next, 'e');
  EXPECT_THAT(keeper->WaitForEnd(Soon()), IsOk());
  close(next.socket);
}

// All keepers end with the owner's Keeper, the spare one included.
TEST(KeeperTest, NoProcessIsLeft) {
  int files[2];
  ASSERT_EQ(pipe(files), 0);
  {
    ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
    ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
    Say(child, 'w');
    close(child.socket);
  }
  close(files[1]);  // Now only the processes of the keeper, if there are any, have it open.
  char byte;
  EXPECT_EQ(read(files[0], &byte, 1), 0);
  close(files[0]);
}

TEST(KeeperTest, ACopyOfTheOwnerLeavesTheChildAlone) {
  ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
  ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
  Say(child, 'w');
  const pid_t copy = fork();
  if (copy == 0) {
    keeper = nullptr;
    _exit(0);
  }
  ASSERT_EQ(waitpid(copy, nullptr, 0), copy);
  EXPECT_THAT(keeper->WaitForEnd(SteadyNow() + absl::Milliseconds(10)),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  close(child.socket);
}

TEST(KeeperTest, TheChildIsNotTheOwners) {
  ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
  ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
  EXPECT_EQ(waitpid(child.process, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  Say(child, 'e');
  EXPECT_THAT(keeper->WaitForEnd(Soon()), IsOk());
  close(child.socket);
}

TEST(KeeperTest, WorksWhereSignalsOfChildrenAreIgnored) {
  signal(SIGCHLD, SIG_IGN);
  ASSERT_OK_AND_ASSIGN(auto keeper, Keeper::Create(kNoLimit, Obey));
  signal(SIGCHLD, SIG_DFL);
  ASSERT_OK_AND_ASSIGN(const Keeper::Child child, keeper->Start());
  Say(child, 'e');
  ASSERT_OK_AND_ASSIGN(const ChildEnd ended, keeper->WaitForEnd(Soon()));
  EXPECT_EQ(ended.code, 3);
  close(child.socket);
}

}  // namespace
}  // namespace firstcall
