#include "base/signal_state.h"

#include <pthread.h>

#include <csignal>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

bool was_in_handler = false;
extern "C" void NoticeSignal(int) { was_in_handler = SignalState::MayBeInHandler(); }

class SignalStateTest : public testing::Test {
 protected:
  SignalStateTest() {
    was_in_handler = false;
    SignalState::NoteForThread();
  }
  ~SignalStateTest() override {
    std::signal(SIGUSR1, SIG_DFL);
    Change(SIG_UNBLOCK);
  }

  static void Change(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(how, &set, nullptr);
  }
};

TEST_F(SignalStateTest, AThreadIsInNoHandlerAtFirst) {
  EXPECT_FALSE(SignalState::MayBeInHandler());
}

TEST_F(SignalStateTest, AHandlerIsNoticed) {
  std::signal(SIGUSR1, &NoticeSignal);
  std::raise(SIGUSR1);
  EXPECT_TRUE(was_in_handler);
  EXPECT_FALSE(SignalState::MayBeInHandler());
}

TEST_F(SignalStateTest, ABlockedSignalWithoutAHandlerDoesNotCount) {
  Change(SIG_BLOCK);
  EXPECT_FALSE(SignalState::MayBeInHandler());
}

TEST_F(SignalStateTest, ASignalThatWasBlockedWhenNotedDoesNotCount) {
  std::signal(SIGUSR1, &NoticeSignal);
  Change(SIG_BLOCK);
  EXPECT_TRUE(SignalState::MayBeInHandler());
  SignalState::NoteForThread();
  EXPECT_FALSE(SignalState::MayBeInHandler());
}

}  // namespace
}  // namespace firstcall
