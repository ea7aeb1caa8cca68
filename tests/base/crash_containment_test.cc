#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/fatal_error_guard.h"
#include "gtest/gtest.h"
#include "llvm/Support/ErrorHandling.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

TEST(CrashContainmentTest, CrashesBecomeStatusesWhileContained) {
  CrashContainment containment;
  for (int signal : {SIGSEGV, SIGFPE, SIGABRT}) {
    const absl::Status status = RunGuarded([signal] { raise(signal); });
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal,
                                 std::string("crashed: ") + strsignal(signal)));
    EXPECT_TRUE(IsCrash(status));
  }
  EXPECT_FALSE(IsCrash(RunGuarded([] { llvm::report_fatal_error("no crash"); })));
}

TEST(CrashContainmentTest, CrashesOfSeveralThreadsAreTheirOwn) {
  CrashContainment containment;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(IsCrash(RunGuarded([] { raise(SIGSEGV); })));
        EXPECT_THAT(RunGuarded([] {}), IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(CrashContainmentTest, LeavesHandlersOfTheHostAsTheyAre) {
  const auto handler_of = [](int signal) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    return action.sa_handler;
  };
  void (*const before)(int) = [](int) {};
  void (*const later)(int) = [](int) { _exit(3); };
  signal(SIGSEGV, before);
  signal(SIGFPE, before);
  {
    CrashContainment containment;
    signal(SIGSEGV, later);
  }
  EXPECT_EQ(handler_of(SIGSEGV), later);
  EXPECT_EQ(handler_of(SIGFPE), before);
  signal(SIGSEGV, SIG_DFL);
  signal(SIGFPE, SIG_DFL);
}

char* page = nullptr;
int faults = 0;
void Unprotect(int, siginfo_t* info, void*) {
  if (info->si_addr != page + 8) _exit(3);
  ++faults;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

// As runtimes use faults for null checks and safepoints.
TEST(CrashContainmentTest, AHandlerOfTheHostLearnsWhichFaultItWas) {
  page = static_cast<char*>(
      mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0));
  struct sigaction action = {};
  action.sa_sigaction = &Unprotect;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  {
    CrashContainment containment;
    *static_cast<volatile char*>(page + 8) = 1;
    EXPECT_EQ(faults, 1);
    EXPECT_TRUE(IsCrash(RunGuarded([] { raise(SIGSEGV); })));
    mprotect(page, 4096, PROT_NONE);
    *static_cast<volatile char*>(page + 8) = 1;
    EXPECT_EQ(faults, 2);
  }
  struct sigaction after = {};
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(after.sa_sigaction, &Unprotect);
  signal(SIGSEGV, SIG_DFL);
  munmap(page, 4096);
}

TEST(CrashContainmentDeathTest, CrashesElsewhereGoOn) {
  EXPECT_EXIT(
      {
        CrashContainment containment;
        raise(SIGSEGV);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(CrashContainmentDeathTest, CrashesAreNotContainedUnasked) {
  EXPECT_EXIT((void)RunGuarded([] { raise(SIGSEGV); }), testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace firstcall
