#include "base/signal_hold.h"

#include <pthread.h>
#include <setjmp.h>

#include <csignal>

#include "base/no_interruption.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

volatile sig_atomic_t received = 0;
void Receive(int) { received = received + 1; }

sigjmp_buf before_hold;
void Leave(int) { siglongjmp(before_hold, 1); }

void Change(int how, int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(how, &set, nullptr);
}

bool IsBlocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

bool ProgramBlocks(int signal) {
  const sigset_t mask = SignalHold::ProgramMask();
  return sigismember(&mask, signal) == 1;
}

class SignalHoldTest : public testing::Test {
 protected:
  SignalHoldTest() {
    received = 0;
    std::signal(SIGUSR1, &Receive);
    HeldSignals::Add(SIGUSR1);
  }
  ~SignalHoldTest() override { std::signal(SIGUSR1, SIG_DFL); }
};

TEST_F(SignalHoldTest, BlocksWhatWasAddedUntilItEnds) {
  EXPECT_FALSE(HeldSignals::Add(SIGUSR1));  // Once more.
  const SignalHold hold = SignalHold::Begin();
  EXPECT_TRUE(IsBlocked(SIGUSR1));
  EXPECT_FALSE(IsBlocked(SIGUSR2));
  raise(SIGUSR1);
  EXPECT_EQ(received, 0);
  hold.End();
  EXPECT_EQ(received, 1);
  EXPECT_FALSE(IsBlocked(SIGUSR1));
}

TEST_F(SignalHoldTest, OnlyTheOutermostHoldReleases) {
  const SignalHold outer = SignalHold::Begin();
  const SignalHold inner = SignalHold::Begin();
  inner.End();
  EXPECT_TRUE(IsBlocked(SIGUSR1));
  outer.End();
  EXPECT_FALSE(IsBlocked(SIGUSR1));
}

TEST_F(SignalHoldTest, ASignalThatTheProgramBlocksStaysBlocked) {
  Change(SIG_BLOCK, SIGUSR1);
  const SignalHold hold = SignalHold::Begin();
  EXPECT_TRUE(ProgramBlocks(SIGUSR1));
  hold.End();
  EXPECT_TRUE(IsBlocked(SIGUSR1));
  Change(SIG_UNBLOCK, SIGUSR1);
}

TEST_F(SignalHoldTest, CodeOfTheProgramGetsSignalsAtOnceAndMayChangeTheMask) {
  const SignalHold hold = SignalHold::Begin();
  EXPECT_FALSE(ProgramBlocks(SIGUSR1));
  raise(SIGUSR1);
  {
    const ProgramSignals program;
    EXPECT_EQ(received, 1);
    raise(SIGUSR1);
    EXPECT_EQ(received, 2);
    Change(SIG_BLOCK, SIGUSR2);
  }
  EXPECT_TRUE(IsBlocked(SIGUSR1));
  hold.End();
  EXPECT_FALSE(IsBlocked(SIGUSR1));
  EXPECT_TRUE(IsBlocked(SIGUSR2));
  Change(SIG_UNBLOCK, SIGUSR2);
}

TEST_F(SignalHoldTest, OutsideAHoldTheProgramsMaskIsLeftAlone) {
  { const ProgramSignals program; }
  EXPECT_FALSE(IsBlocked(SIGUSR1));
  EXPECT_FALSE(ProgramBlocks(SIGUSR1));
}

TEST_F(SignalHoldTest, AHandlerMayLeaveWhenTheHoldEnds) {
  std::signal(SIGUSR1, &Leave);
  int type_before = 0;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type_before);
  if (sigsetjmp(before_hold, /*savemask=*/1) == 0) {
    const InterruptionState state = InterruptionState::Disable();
    raise(SIGUSR1);
    state.Restore();
    FAIL() << "the handler has not left";
  }
  int state = PTHREAD_CANCEL_DISABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  EXPECT_EQ(state, PTHREAD_CANCEL_ENABLE);
  const SignalHold hold = SignalHold::Begin();
  EXPECT_TRUE(IsBlocked(SIGUSR1));
  hold.End();
  EXPECT_FALSE(IsBlocked(SIGUSR1));
}

TEST_F(SignalHoldTest, FaultsAreNeverHeldBack) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, 0, -1, 100}) {
    EXPECT_FALSE(HeldSignals::Add(signal)) << signal;
  }
  EXPECT_TRUE(HeldSignals::AddAll());
  EXPECT_FALSE(HeldSignals::AddAll());
  const SignalHold hold = SignalHold::Begin();
  EXPECT_FALSE(IsBlocked(SIGSEGV));
  EXPECT_FALSE(IsBlocked(SIGSYS));
  EXPECT_TRUE(IsBlocked(SIGTERM));
  EXPECT_TRUE(IsBlocked(SIGRTMAX));
  hold.End();
}

TEST_F(SignalHoldTest, EachThreadHasItsOwn) {
  const SignalHold hold = SignalHold::Begin();
  bool is_blocked = true;
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void* result) -> void* {
                  // A thread begins with the mask of the one that creates it.
                  Change(SIG_UNBLOCK, SIGUSR1);
                  const SignalHold own = SignalHold::Begin();
                  own.End();
                  *static_cast<bool*>(result) = IsBlocked(SIGUSR1);
                  return nullptr;
                },
                &is_blocked),
            0);
  pthread_join(thread, nullptr);
  EXPECT_FALSE(is_blocked);
  EXPECT_TRUE(IsBlocked(SIGUSR1));
  hold.End();
}

}  // namespace
}  // namespace firstcall
