#include "base/fatal_error_guard.h"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

TEST(FatalErrorGuardTest, FatalErrorBecomesStatusWithItsReason) {
  EXPECT_THAT(RunGuarded([] { llvm::report_fatal_error("cannot select: x"); }),
              StatusIs(absl::StatusCode::kInternal, "cannot select: x"));
}

TEST(FatalErrorGuardTest, FailedAllocationBecomesStatus) {
  EXPECT_THAT(RunGuarded([] { llvm::report_bad_alloc_error("no room"); }),
              StatusIs(absl::StatusCode::kInternal, "no room"));
}

TEST(FatalErrorGuardTest, CallbackThatReturnsIsOk) {
  bool ran = false;
  EXPECT_THAT(RunGuarded([&] { ran = true; }), IsOk());
  EXPECT_TRUE(ran);
}

TEST(FatalErrorGuardTest, InnerGuardCatchesAndOuterGoesOn) {
  absl::Status inner;
  bool went_on = false;
  EXPECT_THAT(RunGuarded([&] {
                inner = RunGuarded([] { llvm::report_fatal_error("inner"); });
                went_on = true;
              }),
              IsOk());
  EXPECT_THAT(inner, StatusIs(absl::StatusCode::kInternal, "inner"));
  EXPECT_TRUE(went_on);
}

TEST(FatalErrorGuardTest, OuterGuardIsActiveAgainAfterInner) {
  EXPECT_THAT(RunGuarded([] {
                (void)RunGuarded([] { llvm::report_fatal_error("inner"); });
                llvm::report_fatal_error("outer");
              }),
              StatusIs(absl::StatusCode::kInternal, "outer"));
}

TEST(FatalErrorGuardTest, OuterGuardIsActiveAgainAfterAnException) {
  const auto throw_in_guard = [] {
    try {
      (void)RunGuarded([] { throw std::runtime_error("thrown"); });
    } catch (const std::runtime_error&) {
      return true;
    }
    return false;
  };
  bool was_thrown = false;
  EXPECT_THAT(RunGuarded([&] {
                was_thrown = throw_in_guard();
                llvm::report_fatal_error("outer");
              }),
              StatusIs(absl::StatusCode::kInternal, "outer"));
  EXPECT_TRUE(was_thrown);
}

TEST(FatalErrorGuardDeathTest, AfterAnExceptionNoGuardIsActive) {
  EXPECT_THROW((void)RunGuarded([] { throw std::runtime_error("thrown"); }), std::runtime_error);
  EXPECT_EXIT(llvm::report_fatal_error("nobody's"), testing::ExitedWithCode(1),
              "LLVM ERROR: nobody's");
}

TEST(FatalErrorGuardTest, ThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::vector<absl::Status> results(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round) {
        const std::string reason = "thread " + std::to_string(i);
        results[i] = RunGuarded([&] { llvm::report_fatal_error(llvm::Twine(reason)); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 8; ++i) {
    EXPECT_THAT(results[i], StatusIs(absl::StatusCode::kInternal, "thread " + std::to_string(i)));
  }
}

TEST(FatalErrorGuardDeathTest, UnguardedThreadKeepsLlvmsBehaviour) {
  ASSERT_THAT(RunGuarded([] {}), IsOk());  // Installs the handler.
  EXPECT_EXIT(llvm::report_fatal_error("somebody else's"), testing::ExitedWithCode(1),
              "LLVM ERROR: somebody else's");
}

}  // namespace
}  // namespace firstcall
