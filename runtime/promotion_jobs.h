// The optimizations that are in progress. A forked child finds those of its parent here.
//
// Thread-compatible. A thread's own job changes its state at any time (see PromotionJob).

#ifndef FIRSTCALL_RUNTIME_PROMOTION_JOBS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_JOBS_H_

#include <memory>
#include <utility>
#include <vector>

#include "base/own_thread.h"
#include "runtime/hot_function.h"
#include "runtime/promotion_job.h"

namespace firstcall {

class PromotionJobs {
 public:
  void Add(std::shared_ptr<PromotionJob> job) { jobs_.push_back(std::move(job)); }
  // Nothing if the job is not on the list any more.
  void Remove(const std::shared_ptr<PromotionJob>& job);

  // Takes off the list what threads do that this process, a forked child, does not have. Returns
  // their functions, which nobody serves any more.
  std::vector<HotFunction*> TakeParents();

  // The functions of `module` go. What is at work on one is taken off the list: it is of another
  // process, or below the caller on its stack. What runs passes is told to end, and stays on the
  // list in case that the promoter goes, too.
  void Drop(const SourceModule* module);

  // Tells all jobs that their results are not wanted any more.
  void Stop();

  // Whether what `thread` does was unattended, and will end without the promoter.
  bool Abandon(const OwnThread& thread);
  // The same for all threads of this process but the calling one. False if one of them still needs
  // the promoter for a moment.
  bool AbandonAll();

 private:
  std::vector<std::shared_ptr<PromotionJob>> jobs_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_JOBS_H_
