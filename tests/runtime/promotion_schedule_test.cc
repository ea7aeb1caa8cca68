#include "runtime/promotion/promotion_schedule.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/executor_address.h"
#include "runtime/promotion/hot_function.h"
#include "runtime/promotion/hot_functions.h"
#include "runtime/promotion/promotion_job.h"
#include "seam/hotness_counter.h"

namespace firstcall {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int32_t kInterval = 99;
constexpr absl::Duration kBudget = absl::Hours(10);
constexpr size_t kLargeBody = 100'000'000;  // The program has to run for 300 s first.

class PromotionScheduleTest : public testing::Test {
 protected:
  // Nobody looks into the module.
  SourceModule* const module_ = reinterpret_cast<SourceModule*>(this);
  const absl::Duration now_ = SteadyNow();
  HotFunctions functions_{nullptr, kInterval};
  HotFunction function_{nullptr, FunctionKey{module_, {}}, kInterval};
  // Of a program that has just begun, and of one that has been running for long.
  PromotionSchedule early_{/*has_threads=*/true, /*looks_at_counters=*/true, /*weighs_gains=*/false,
                           kBudget, now_};
  PromotionSchedule schedule_{/*has_threads=*/true, /*looks_at_counters=*/true,
                              /*weighs_gains=*/false, kBudget, now_ - absl::Hours(1)};
};

TEST_F(PromotionScheduleTest, LooksAreSomeMillisecondsApart) {
  EXPECT_FALSE(early_.BeginLook(now_ + absl::Milliseconds(1)));
  EXPECT_EQ(early_.BeginLook(now_ + absl::Milliseconds(10))->active, absl::Milliseconds(10));
  EXPECT_FALSE(early_.BeginLook(now_ + absl::Milliseconds(11)));
  const std::optional<HotFunctions::Since> since =
      early_.BeginLook(now_ + absl::Milliseconds(1010));
  ASSERT_TRUE(since);
  EXPECT_EQ(since->elapsed, absl::Seconds(1));
  EXPECT_EQ(since->active, absl::Milliseconds(64));
}

TEST_F(PromotionScheduleTest, ALargeFunctionWaitsAtTheBeginning) {
  function_.first_body().BeginCounting(ExecutorAddress(), kLargeBody, absl::ZeroDuration());
  early_.waiting().Add(function_);
  EXPECT_EQ(early_.TakeNext(functions_), nullptr);
  schedule_.waiting().Add(function_);
  EXPECT_EQ(schedule_.TakeNext(functions_), &function_);
}

TEST_F(PromotionScheduleTest, WithoutLooksAtTheCountersNoFunctionWaits) {
  PromotionSchedule schedule(/*has_threads=*/true, /*looks_at_counters=*/false,
                             /*weighs_gains=*/false, kBudget, now_);
  function_.first_body().BeginCounting(ExecutorAddress(), kLargeBody, absl::ZeroDuration());
  schedule.waiting().Add(function_);
  EXPECT_EQ(schedule.TakeNext(functions_), &function_);
}

TEST_F(PromotionScheduleTest, AFunctionWaitsUntilItsOptimizationPays) {
  PromotionSchedule schedule(/*has_threads=*/true, /*looks_at_counters=*/true,
                             /*weighs_gains=*/true, kBudget, now_ - absl::Hours(1));
  function_.first_body().BeginCounting(ExecutorAddress(), 1000, absl::ZeroDuration());
  schedule.waiting().Add(function_);
  EXPECT_EQ(schedule.TakeNext(functions_), nullptr);
  function_.first_body().NoteTime(absl::Seconds(1));
  EXPECT_EQ(schedule.TakeNext(functions_), &function_);
}

TEST_F(PromotionScheduleTest, AFunctionThatTheCacheHasNeedNotWait) {
  PromotionSchedule schedule(/*has_threads=*/true, /*looks_at_counters=*/true,
                             /*weighs_gains=*/true, kBudget, now_);
  function_.first_body().BeginCounting(ExecutorAddress(), kLargeBody, absl::ZeroDuration());
  ASSERT_TRUE(function_.request().Ask(kNoLoop));
  schedule.waiting().Add(function_);
  const auto sought = schedule.TakeToBeSought();
  ASSERT_THAT(sought, SizeIs(1));
  EXPECT_EQ(sought[0].function, &function_);
  EXPECT_EQ(sought[0].wanted, kNoLoop);
  EXPECT_EQ(schedule.TakeNext(functions_), nullptr);
  function_.NoteCached(kNoLoop);
  EXPECT_THAT(schedule.TakeToBeSought(), IsEmpty());
  EXPECT_EQ(schedule.TakeNext(functions_), &function_);
}

TEST_F(PromotionScheduleTest, NothingIsServedOnceTheBudgetIsUsedUp) {
  const auto job = std::make_shared<PromotionJob>(function_);
  ASSERT_TRUE(schedule_.Begin(job));
  EXPECT_FALSE(schedule_.jobs().AbandonAll());
  schedule_.End(job, SteadyNow() - 2 * kBudget, absl::ZeroDuration());
  EXPECT_TRUE(schedule_.jobs().AbandonAll());
  schedule_.waiting().Add(function_);
  EXPECT_EQ(schedule_.TakeNext(functions_), nullptr);
  EXPECT_FALSE(schedule_.Begin(job));
}

TEST_F(PromotionScheduleTest, TheNextRunsBodiesAreMadeInIdleTime) {
  schedule_.AddForNextRun(function_);
  EXPECT_EQ(schedule_.TakeNext(functions_), &function_);
  EXPECT_EQ(function_.request().wanted(), kNoLoop);
  EXPECT_EQ(schedule_.TakeNext(functions_), nullptr);
}

TEST_F(PromotionScheduleTest, ABodyThatExistsIsNotMadeForTheNextRun) {
  schedule_.AddForNextRun(function_);
  function_.GiveBody(std::nullopt);
  EXPECT_EQ(schedule_.TakeNext(functions_), nullptr);
}

TEST_F(PromotionScheduleTest, AModuleIsForgotten) {
  const auto job = std::make_shared<PromotionJob>(function_);
  ASSERT_TRUE(schedule_.Begin(job));
  schedule_.waiting().Add(function_);
  schedule_.AddForNextRun(function_);
  schedule_.Forget(module_);
  EXPECT_EQ(schedule_.TakeNext(functions_), nullptr);
  EXPECT_TRUE(schedule_.jobs().AbandonAll());
}

TEST_F(PromotionScheduleTest, AForkedChildServesTheParentsFunctionsOrTheyNoLongerAsk) {
  PromotionSchedule without_threads(/*has_threads=*/false, /*looks_at_counters=*/true,
                                    /*weighs_gains=*/false, kBudget, now_ - absl::Hours(1));
  ASSERT_TRUE(function_.request().Ask(kNoLoop));
  const auto job = std::make_shared<PromotionJob>(function_);
  ASSERT_TRUE(schedule_.Begin(job));
  ASSERT_TRUE(without_threads.Begin(job));
  schedule_.TakeOverJobs();
  EXPECT_TRUE(schedule_.waiting().empty()) << "there was no fork";
  const pid_t child = fork();
  if (child == 0) {
    schedule_.TakeOverJobs();
    const bool is_next =
        schedule_.TakeNext(functions_) == &function_ && function_.request().is_open();
    without_threads.TakeOverJobs();
    _exit(is_next && without_threads.waiting().empty() && !function_.request().is_open() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace firstcall
