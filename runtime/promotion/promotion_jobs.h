// The optimizations that are in progress. In a forked child, the parent's optimizations are still
// on the list.
//
// Thread-compatible. The state of a job may change at any time, because its thread changes it (see
// PromotionJob). Tested in tests/runtime/promotion_jobs_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_JOBS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_JOBS_H_

#include <memory>
#include <utility>
#include <vector>

#include "base/own_thread.h"
#include "runtime/promotion/hot_function.h"
#include "runtime/promotion/promotion_job.h"

namespace firstcall {

class PromotionJobs {
 public:
  void Add(std::shared_ptr<PromotionJob> job) { jobs_.push_back(std::move(job)); }
  // Has no effect if the job is no longer on the list.
  void Remove(const std::shared_ptr<PromotionJob>& job);

  // In a forked child: takes the jobs of the parent's other threads off the list, because those
  // threads do not exist here. Returns the functions of these jobs, which no thread serves any
  // more.
  std::vector<HotFunction*> TakeParents();

  // To be called when the functions of `module` are removed or detached. Their jobs that run passes
  // are told to end, and stay on the list in case the promoter stops, too. Their other jobs are
  // taken off the list; these belong to another process, or are below the caller on its stack.
  void Drop(const SourceModule* module);

  // Tells all jobs that their results are not wanted any more.
  void Stop();

  // Abandons the job of `thread`. Returns whether the job was unattended. If so, the job ends
  // without touching the promoter.
  bool Abandon(const OwnThread& thread);
  // Abandons the jobs of all threads of this process except the calling one. False if one of these
  // threads still needs the promoter for a moment.
  bool AbandonAll();

 private:
  std::vector<std::shared_ptr<PromotionJob>> jobs_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_JOBS_H_
