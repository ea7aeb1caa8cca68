#include "runtime/process/exit_hook.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

void Say(const char* what) { std::fputs(what, stderr); }

using When = ExitHook::When;

TEST(ExitHookDeathTest, CallbacksRunBeforeOlderHandlersInTheOppositeOrder) {
  EXPECT_EXIT(
      {
        std::atexit([] { Say("handler."); });
        static ExitHook first([] { Say("first "); });
        static ExitHook second([] { Say("second "); });
        std::exit(3);
      },
      testing::ExitedWithCode(3), "^second first handler\\.$");
}

TEST(ExitHookDeathTest, NoticedExitRunsThemBeforeAllHandlers) {
  EXPECT_EXIT(
      {
        static ExitHook hook([] { Say("hook "); });
        static ExitHook early([] { Say("early "); }, When::kAtOnce);
        static ExitHook last([] { Say("last "); });
        std::atexit([] { Say("handler."); });
        std::exit(3);
      },
      testing::ExitedWithCode(3), "^early last hook handler\\.$");
}

TEST(ExitHookDeathTest, LastHooksRunAfterYoungerOnes) {
  EXPECT_EXIT(
      {
        static ExitHook last([] { Say("last."); }, When::kLast);
        static ExitHook hook([] { Say("hook "); });
        static ExitHook early([] { Say("early "); }, When::kAtOnce);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "^early hook last\\.$");
}

TEST(ExitHookDeathTest, ExitOnAThreadThatIsNotNoticedKeepsTheOrderOfHandlers) {
  EXPECT_EXIT(
      {
        // Static ones would be destroyed before.
        new ExitHook([] { Say("hook."); });
        new ExitHook([] { Say("early "); }, When::kAtOnce);
        std::atexit([] { Say("handler "); });
        std::thread([] { std::exit(3); }).join();
      },
      testing::ExitedWithCode(3), "^handler early hook\\.$");
}

TEST(ExitHookDeathTest, ExitOfCompiledCodeIsNoticedOnEachThread) {
  EXPECT_EXIT(
      {
        static ExitHook hook([] { Say("hook "); });
        static ExitHook early([] { Say("early "); }, When::kAtOnce);
        std::atexit([] { Say("handler."); });
        std::thread([] { ExitHook::Exit(3); }).join();
      },
      testing::ExitedWithCode(3), "^early hook handler\\.$");
}

TEST(ExitHookDeathTest, EndOfAnotherThreadSaysNothing) {
  EXPECT_EXIT(
      {
        static std::optional<ExitHook> early;
        std::thread([] { early.emplace([] { Say("early."); }, When::kAtOnce); }).join();
        Say("the thread is gone, ");
        std::exit(3);
      },
      testing::ExitedWithCode(3), "^the thread is gone, early\\.$");
}

TEST(ExitHookDeathTest, DestroyedHookDoesNotRun) {
  EXPECT_EXIT(
      {
        {
          ExitHook hook([] { Say("hook"); });
        }
        {
          ExitHook early([] { Say("early"); }, When::kAtOnce);
        }
        std::exit(3);
      },
      testing::ExitedWithCode(3), "^$");
}

TEST(ExitHookDeathTest, CallbackMayDestroyItsHook) {
  EXPECT_EXIT(
      {
        static ExitHook* const hook = new ExitHook([] {
          delete hook;
          Say("hook");
        });
        std::exit(3);
      },
      testing::ExitedWithCode(3), "^hook$");
}

TEST(ExitHookDeathTest, HookIsNotDestroyedWhileItsCallbackRuns) {
  EXPECT_EXIT(
      {
        static absl::Notification has_begun;
        static absl::Notification is_destroyed;
        static auto hook = std::make_unique<ExitHook>([] {
          has_begun.Notify();
          if (is_destroyed.WaitForNotificationWithTimeout(absl::Milliseconds(50))) std::_Exit(1);
        });
        std::thread destroyer([] {
          has_begun.WaitForNotification();
          hook = nullptr;
          is_destroyed.Notify();
        });
        std::atexit([] { is_destroyed.WaitForNotification(); });
        destroyer.detach();
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

// As LLVM does: an object that is first needed while the process exits.
struct Late {
  ~Late() { is_there = false; }
  std::atomic<bool> is_there{true};
};
Late& GetLate() {
  static Late late;
  return late;
}

TEST(ExitHookDeathTest, WhatRunsInTheBackgroundEndsBeforeObjectsItHasMadeGo) {
  EXPECT_EXIT(
      {
        static std::atomic<bool> is_wrong{false};
        static std::thread background([] {
          Late& late = GetLate();
          absl::SleepFor(absl::Milliseconds(50));
          if (!late.is_there) is_wrong = true;
        });
        static ExitHook early([] { background.join(); }, When::kAtOnce);
        absl::SleepFor(absl::Milliseconds(10));
        std::atexit([] { std::_Exit(is_wrong ? 1 : 3); });
        std::exit(2);
      },
      testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace firstcall
