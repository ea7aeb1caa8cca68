// UnattendedWork with WorkScope, and with StoppableThread, which stops it when the process exits.

#include "runtime/process/unattended_work.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "backend/llvm/ir_optimizer.h"
#include "backend/llvm/llvm_code.h"
#include "base/diagnostic_collector.h"
#include "compiler/optimization_gate.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "runtime/process/stoppable_thread.h"
#include "runtime/process/work_scope.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"

namespace firstcall {
namespace {

// A thread whose work is unattended until it may end.
class Unattended {
 public:
  Unattended() {
    thread_ = std::thread([this] {
      WorkScope scope;
      attended_ = 1;
      {
        UnattendedWork unattended(&attended_);
        has_begun_.Notify();
        may_end_.WaitForNotification();
      }
      has_returned_ = true;
    });
    has_begun_.WaitForNotification();
  }
  ~Unattended() {
    if (!may_end_.HasBeenNotified()) may_end_.Notify();
    thread_.join();
    EXPECT_EQ(attended_, 1);
  }

  void MayEnd() { may_end_.Notify(); }
  bool has_returned() const { return has_returned_; }
  int attended() const { return attended_; }

 private:
  std::atomic<int> attended_{0};
  std::atomic<bool> has_returned_{false};
  absl::Notification has_begun_, may_end_;
  std::thread thread_;
};

TEST(UnattendedWorkTest, RemovalsDoNotWaitForItButItWaitsForThem) {
  Unattended work;
  EXPECT_EQ(work.attended(), 0);
  {
    ExclusiveWorkScope scope;
    work.MayEnd();
    absl::SleepFor(absl::Milliseconds(20));
    EXPECT_FALSE(work.has_returned());
  }
  while (!work.has_returned()) absl::SleepFor(absl::Milliseconds(1));
}

TEST(UnattendedWorkTest, ForkedChildHasNone) {
  Unattended work;
  const pid_t child = fork();
  if (child == 0) {
    // It would wait for nobody else, but for the end of what is not there.
    { ExclusiveWorkScope scope; }
    { WorkScope scope; }
    _exit(5);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST(UnattendedWorkTest, ForkInItsMiddleGoesOnInTheChild) {
  WorkScope scope;
  std::atomic<int> attended{1};
  pid_t child;
  {
    UnattendedWork unattended(&attended);
    child = fork();
  }
  EXPECT_EQ(attended, 1);
  if (child == 0) _exit(6);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 6);
}

// Optimizes the same for ever. LLVM asks no gate of ours in between unless there is one.
void OptimizeForEver(llvm::OptPassGate* gate, std::atomic<bool>& has_begun) {
  StoppableThread::SetStoppableCode(SomewhereInLlvm());
  StoppableThread::SetStoppableCode(nullptr);  // An engine whose compiler is in another process.
  std::string text = "define i64 @f(i64 %n, ptr %p) {\nentry:\n  br label %b0\n";
  constexpr int kBlocks = 500;
  for (int i = 0; i < kBlocks; ++i) {
    absl::StrAppend(&text, "b", i, ":\n  %x", i, " = load volatile i64, ptr %p\n  %c", i,
                    " = icmp sgt i64 %x", i, ", ", i, "\n  br i1 %c", i, ", label %b", i + 1,
                    ", label %b", i / 2, "\n");
  }
  absl::StrAppend(&text, "b", kBlocks, ":\n  ret i64 %n\n}\n");
  llvm::LLVMContext context;
  CollectDiagnostics(context);
  if (gate != nullptr) context.setOptPassGate(*gate);
  EngineOptions options;
  options.tier = Tier::kOne;
  const Target target(MakeTarget(options));
  std::unique_ptr<IrOptimizer> optimizer = IrOptimizer::Create(target).value();
  while (true) {
    std::unique_ptr<llvm::Module> module = ParseModule(text, context);
    WorkScope scope;
    has_begun = true;
    std::atomic<int> attended{1};
    UnattendedWork unattended(&attended);
    CpuChoice cpu;
    (void)optimizer->Optimize(module, cpu);
  }
}

TEST(UnattendedWorkDeathTest, ExitStopsItBetweenPasses) {
  EXPECT_EXIT(
      {
        static OptimizationGate gate(std::make_shared<StopFlag>(), &UnattendedWork::StopIfExiting);
        static std::atomic<bool> has_begun{false};
        std::thread([] { OptimizeForEver(&gate, has_begun); }).detach();
        while (!has_begun) absl::SleepFor(absl::Milliseconds(1));
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST(UnattendedWorkDeathTest, ExitStopsItInTheMiddleOfLlvm) {
#ifdef ABSL_HAVE_THREAD_SANITIZER
  GTEST_SKIP() << "The thread sanitizer cannot handle a signal that interrupts it.";
#endif
  for (int i = 0; i < 5; ++i) {
    EXPECT_EXIT(
        {
          static std::atomic<bool> has_begun{false};
          std::thread([] { OptimizeForEver(nullptr, has_begun); }).detach();
          while (!has_begun) absl::SleepFor(absl::Milliseconds(1));
          // The handlers that follow allocate: the thread holds nothing that this needs.
          std::atexit([] {
            for (int k = 0; k < 10000; ++k) free(malloc(static_cast<size_t>(k)));
          });
          std::exit(3);
        },
        testing::ExitedWithCode(3), "");
  }
}

TEST(UnattendedWorkDeathTest, NoneBeginsOrEndsAfterwards) {
  EXPECT_EXIT(
      {
        static absl::Notification has_begun;
        static absl::Notification may_end;
        std::thread([] {
          WorkScope scope;
          std::atomic<int> attended{1};
          UnattendedWork unattended(&attended);
          has_begun.Notify();
          may_end.WaitForNotification();
          while (true) UnattendedWork::StopIfExiting();
        }).detach();
        has_begun.WaitForNotification();
        std::thread exits(UnattendedWork::StopForExit);
        may_end.Notify();
        exits.join();
        std::thread([] {
          WorkScope scope;
          std::atomic<int> attended{1};
          UnattendedWork unattended(&attended);
          _exit(4);
        }).detach();
        absl::SleepFor(absl::Milliseconds(50));
        _exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST(UnattendedWorkDeathTest, ThreadsOfTheProgramGoOn) {
  EXPECT_EXIT(
      {
        static absl::Notification has_begun;
        static absl::Notification may_end;
        std::thread other([] {
          WorkScope scope;
          UnattendedWork unattended(/*attended=*/nullptr);
          has_begun.Notify();
          may_end.WaitForNotification();
          UnattendedWork::StopIfExiting();
        });
        has_begun.WaitForNotification();
        UnattendedWork::StopForExit();
        may_end.Notify();
        other.join();
        WorkScope scope;
        { UnattendedWork unattended(/*attended=*/nullptr); }
        _exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST(UnattendedWorkDeathTest, ExitWaitsForThreadsOfTheProgramForAWhile) {
  EXPECT_EXIT(
      {
        static absl::Notification has_begun;
        static std::atomic<bool> has_ended{false};
        std::thread([] {
          WorkScope scope;
          UnattendedWork unattended(/*attended=*/nullptr);
          has_begun.Notify();
          absl::SleepFor(absl::Milliseconds(50));
          has_ended = true;
        }).detach();
        has_begun.WaitForNotification();
        WorkScope::KeepForThisThread();
        _exit(has_ended ? 3 : 4);
      },
      testing::ExitedWithCode(3), "");
}

std::atomic<int> handled{0};

TEST(StoppableThreadDeathTest, SignalsOfOthersReachTheirHandler) {
  EXPECT_EXIT(
      {
        std::signal(SIGSYS, [](int) { ++handled; });
        static std::atomic<StoppableThread*> thread{nullptr};
        std::thread([] {
          StoppableThread own;
          own.AllowStopping();
          thread = &own;
          absl::SleepFor(absl::Milliseconds(10));
          own.StopHere();
        }).detach();
        while (thread == nullptr) absl::SleepFor(absl::Milliseconds(1));
        StoppableThread* const threads[] = {thread};
        StoppableThread::StopAll(threads);
        kill(getpid(), SIGSYS);
        while (handled == 0) absl::SleepFor(absl::Milliseconds(1));
        _exit(handled);
      },
      testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace firstcall
