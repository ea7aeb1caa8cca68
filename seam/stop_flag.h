// Tells an optimization that its result is no longer wanted.
//
// Thread-safe. Tested in tests/runtime/promotion_jobs_test.cc.

#ifndef FIRSTCALL_SEAM_STOP_FLAG_H_
#define FIRSTCALL_SEAM_STOP_FLAG_H_

#include <atomic>

namespace firstcall {

class StopFlag {
 public:
  // From now on the optimization leaves out what it can. Its result is right, but not worth using.
  void Set() { is_set_.store(true, std::memory_order_relaxed); }
  bool is_set() const { return is_set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_set_{false};
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_STOP_FLAG_H_
