// Counts and times of what an engine has done so far. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_SEAM_STATS_H_
#define FIRSTCALL_SEAM_STATS_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "memory/arena_memory.h"
#include "seam/listener.h"
#include "seam/promotion_stats.h"

namespace firstcall {

struct Stats {
  size_t modules = 0;          // Added.
  size_t modules_removed = 0;  // Of `modules`; includes detached ones.
  size_t functions_known = 0;  // Defined by the source modules.
  size_t stubs_made = 0;       // In use now.
  size_t functions_compiled = 0;
  size_t functions_baseline = 0;  // Of functions_compiled, those of the baseline code generator.
  size_t functions_mcjit = 0;     // Of functions_compiled, those that MCJIT has compiled.
  // Those that the baseline code generator does not cover, which LLVM has compiled: how many, by
  // reason.
  std::map<std::string, size_t> baseline_refusals;
  size_t functions_cached = 0;   // Linked from an object cache, not compiled.
  size_t objects_linked = 0;     // Of function-modules, data-modules, whole modules and the user.
  size_t objects_cached = 0;     // Of objects_linked, those from an object cache.
  size_t objects_mcjit = 0;      // Of objects_linked, those that MCJIT has linked.
  size_t object_bytes = 0;       // Of objects_linked.
  size_t code_bytes = 0;         // Code of objects_linked, also if removed since.
  size_t promotions_made = 0;    // Optimized bodies and continuations; not in functions_compiled.
  size_t promotions_failed = 0;  // Optimized bodies and continuations that could not be made.
  // Optimized bodies and continuations from an object cache; not in promotions_made.
  size_t promotions_cached = 0;
  absl::Status last_failed_promotion;  // The reason; OK if none failed.
  // Of functions that count their calls, the hottest first, and of those that came optimized from
  // an object cache.
  PromotionStats promotions;
  // Functions that were described for a debugger which has attached, and those that it sees only
  // the names of.
  size_t functions_described = 0;
  size_t functions_not_described = 0;
  MemoryUsage memory;  // Of the engine's own arenas, now.
  // What the compiler was made for, which loads LLVM: "reading 'program.bc'". Empty if nothing had
  // to be compiled or read.
  std::string compiler_made_for;
  // How long the engine had existed then; zero if that is not known.
  absl::Duration compiler_made_after;
  // What the compiler without LLVM refused, so that LLVM was asked: how often, by reason.
  std::map<std::string, size_t> refusals_without_llvm;
  absl::Duration load;   // Reading and indexing source modules.
  absl::Duration split;  // Extracting functions and data, preparing whole modules.
  absl::Duration emit;   // Optimizing IR and generating code.
  absl::Duration link;   // Resolving symbols, loading and relocating objects.

  // A table for people: one quantity per line, then the table of `promotions`.
  std::string ToString() const;
};

// Adds up what listeners are told. Thread-safe.
class StatsCollector final : public Listener {
 public:
  void OnPublished(const PublishedObject& object) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnPromotionFailed(const FailedPromotion& failed) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnRemoved(const RemovedModule& module) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnModuleAdded(const AddedModule& module) override ABSL_LOCKS_EXCLUDED(mutex_);

  // All fields but stubs_made, promotions, those of descriptions, memory, and those of the
  // compiler.
  Stats Collect() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  Stats stats_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_STATS_H_
