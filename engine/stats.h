// What an engine has done so far.

#ifndef FIRSTCALL_ENGINE_STATS_H_
#define FIRSTCALL_ENGINE_STATS_H_

#include <cstddef>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/listener.h"
#include "engine/promotion_stats.h"
#include "memory/arena_memory.h"

namespace firstcall {

struct Stats {
  size_t modules = 0;          // Added.
  size_t modules_removed = 0;  // Of those; detached ones included.
  size_t functions_known = 0;  // Defined by the source modules.
  size_t stubs_made = 0;       // Those in use.
  size_t functions_compiled = 0;
  size_t functions_cached = 0;   // Not compiled, but linked from an object cache.
  size_t objects_linked = 0;     // Function-modules, data-modules and objects given by the user.
  size_t objects_cached = 0;     // Of those, from an object cache.
  size_t object_bytes = 0;       // Of those.
  size_t code_bytes = 0;         // Of their code, in memory.
  size_t bodies_promoted = 0;    // Better bodies and continuations made; not in functions_compiled.
  size_t promotions_failed = 0;  // Better bodies and continuations that could not be made.
  absl::Status last_failed_promotion;  // Why; OK if none failed.
  PromotionStats promotions;           // Of each function that counts its heat, the hottest first.
  MemoryUsage memory;                  // Of the engine's own arenas, at present.
  absl::Duration load;                 // Reading and indexing source modules.
  absl::Duration split;                // Extracting function-modules and data-modules.
  absl::Duration emit;                 // Generating code.
  absl::Duration link;                 // Resolving, linking, publishing.

  // A table for people, one quantity a line.
  std::string ToString() const;
};

// Adds up what is published. Thread-safe.
class StatsCollector final : public Listener {
 public:
  void OnPublished(const PublishedObject& object) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnPromotionFailed(const FailedPromotion& failed) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnRemoved(const RemovedModule& module) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnModuleAdded(size_t functions, absl::Duration load) ABSL_LOCKS_EXCLUDED(mutex_);

  // Everything but stubs_made, promotions and memory, which others know.
  Stats Collect() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  Stats stats_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_STATS_H_
