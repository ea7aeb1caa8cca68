#include "runtime/promotion/promotion_jobs.h"

#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/process/work_scope.h"
#include "runtime/promotion/hot_function.h"
#include "runtime/promotion/promotion_job.h"

namespace firstcall {
namespace {

class PromotionJobsTest : public testing::Test {
 protected:
  std::shared_ptr<PromotionJob> Add() {
    auto job = std::make_shared<PromotionJob>(function_);
    jobs_.Add(job);
    return job;
  }
  // Calls `meanwhile` while the passes run. Returns whether their result is still wanted.
  static bool Run(PromotionJob& job, absl::FunctionRef<void()> meanwhile) {
    WorkScope scope;
    return job.RunPasses(meanwhile, /*attended=*/nullptr);
  }

  // Nobody looks into the module.
  SourceModule* const module_ = reinterpret_cast<SourceModule*>(this);
  HotFunction function_{nullptr, FunctionKey{module_, {}}, 100};
  PromotionJobs jobs_;
};

TEST_F(PromotionJobsTest, AJobIsDone) {
  const std::shared_ptr<PromotionJob> job = Add();
  EXPECT_TRUE(Run(*job, [] {}));
  EXPECT_EQ(job->Finish(), PromotionJob::Outcome::kDone);
  EXPECT_FALSE(jobs_.AbandonAll());
  jobs_.Remove(job);
  EXPECT_TRUE(jobs_.AbandonAll());
}

TEST_F(PromotionJobsTest, AJobWhoseFunctionGoesIsDropped) {
  const std::shared_ptr<PromotionJob> job = Add();
  EXPECT_FALSE(Run(*job, [&] {
    jobs_.Drop(nullptr);
    EXPECT_FALSE(job->is_dropped());
    jobs_.Drop(module_);
    EXPECT_TRUE(job->stop()->is_set());
  }));
  EXPECT_EQ(job->Finish(), PromotionJob::Outcome::kDropped);
}

TEST_F(PromotionJobsTest, AJobIsAbandonedDroppedOrNot) {
  const std::shared_ptr<PromotionJob> job = Add();
  const std::shared_ptr<PromotionJob> dropped = Add();
  EXPECT_FALSE(Run(*job, [&] { EXPECT_TRUE(job->Abandon()); }));
  EXPECT_EQ(job->Finish(), PromotionJob::Outcome::kAbandoned);
  EXPECT_FALSE(Run(*dropped, [&] {
    jobs_.Drop(module_);
    EXPECT_TRUE(jobs_.AbandonAll());
  }));
  EXPECT_EQ(dropped->Finish(), PromotionJob::Outcome::kAbandoned);
}

TEST_F(PromotionJobsTest, OnesOwnJobIsNotWaitedFor) {
  const std::shared_ptr<PromotionJob> job = Add();
  EXPECT_FALSE(jobs_.AbandonAll());
  PromotionJob::Scope scope(*job);
  EXPECT_TRUE(jobs_.AbandonAll());
}

TEST_F(PromotionJobsTest, StoppingTellsAllJobs) {
  const std::shared_ptr<PromotionJob> job = Add();
  EXPECT_FALSE(job->stop()->is_set());
  jobs_.Stop();
  EXPECT_TRUE(job->stop()->is_set());
}

TEST_F(PromotionJobsTest, AForkedChildTakesTheJobsOfThreadsThatItDoesNotHave) {
  const std::shared_ptr<PromotionJob> own = Add();
  const std::shared_ptr<PromotionJob> other = Add();
  PromotionJob::Scope scope(*own);
  EXPECT_TRUE(jobs_.TakeParents().empty());
  const pid_t child = fork();
  if (child == 0) {
    const std::vector<HotFunction*> taken = jobs_.TakeParents();
    _exit(taken.size() == 1 && taken[0] == &function_ && jobs_.TakeParents().empty() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace firstcall
