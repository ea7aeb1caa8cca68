#include "runtime/promotion/promotion_jobs.h"

#include <algorithm>
#include <utility>

namespace firstcall {

void PromotionJobs::Remove(const std::shared_ptr<PromotionJob>& job) {
  jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), job), jobs_.end());
}

std::vector<HotFunction*> PromotionJobs::TakeParents() {
  std::vector<HotFunction*> functions;
  const auto take = [&](const std::shared_ptr<PromotionJob>& job) {
    if (job->IsOfThisProcess() || job->IsOfThisThread()) return false;
    if (!job->is_dropped()) functions.push_back(&job->function());
    return true;
  };
  jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(), take), jobs_.end());
  return functions;
}

void PromotionJobs::Drop(const SourceModule* module) {
  const auto take = [&](const std::shared_ptr<PromotionJob>& job) {
    // The function of a dropped job no longer exists.
    if (job->is_dropped() || job->function().key().module != module) return false;
    if (!job->Drop()) return true;
    job->stop()->Set();
    return false;
  };
  jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(), take), jobs_.end());
}

void PromotionJobs::Stop() {
  for (const std::shared_ptr<PromotionJob>& job : jobs_) job->stop()->Set();
}

bool PromotionJobs::Abandon(const OwnThread& thread) {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const std::shared_ptr<PromotionJob>& job) {
    return thread.Is(job->thread()) && job->Abandon();
  });
}

bool PromotionJobs::AbandonAll() {
  bool all_are_away = true;
  for (const std::shared_ptr<PromotionJob>& job : jobs_) {
    if (!job->IsOfThisProcess() || job->IsOfThisThread()) continue;
    // A thread whose passes have ended takes its job off the list itself.
    if (!job->Abandon()) all_are_away = false;
  }
  return all_are_away;
}

}  // namespace firstcall
