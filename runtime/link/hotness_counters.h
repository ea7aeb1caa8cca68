// Memory for the counters of functions, within reach of the first arena's code.
//
// Thread-safe.

#ifndef FIRSTCALL_RUNTIME_LINK_HOTNESS_COUNTERS_H_
#define FIRSTCALL_RUNTIME_LINK_HOTNESS_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "memory/arena_memory.h"
#include "seam/hotness_counter.h"

namespace firstcall {

class HotnessCounters {
 public:
  explicit HotnessCounters(std::shared_ptr<ArenaMemory> memory) : memory_(std::move(memory)) {}
  ~HotnessCounters();
  HotnessCounters(const HotnessCounters&) = delete;
  HotnessCounters& operator=(const HotnessCounters&) = delete;

  // Makes a counter in this process. It starts at `left`; compiled code calls `handler`, or
  // `leaving_handler` by way of the entry of polls, when it gets below 0. Valid until it is freed
  // or this object is destroyed. ResourceExhausted if the arena is full.
  absl::StatusOr<HotnessCounter*> Make(int32_t left, HotnessCounter::Handler handler,
                                       HotnessCounter::LeavingHandler leaving_handler, void* owner)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Frees the counter. Nothing may count with it any more.
  void Free(HotnessCounter* counter) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status AddBlock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<ArenaMemory> memory_;
  absl::Mutex mutex_;
  std::vector<MemoryBlock> blocks_ ABSL_GUARDED_BY(mutex_);
  std::vector<HotnessCounter*> free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_HOTNESS_COUNTERS_H_
