// Compiles a list of functions ahead of need, on all compile threads.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_PREPARATION_H_
#define FIRSTCALL_ENGINE_PREPARATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/compile_threads.h"
#include "engine/function_table.h"
#include "engine/options.h"
#include "engine/program.h"

namespace firstcall {

// One call of Engine::Prepare.
class Preparation {
 public:
  // Whoever makes it is in a WorkScope, so that the functions' modules are there; afterwards they
  // may be removed. `program` must outlive it.
  Preparation(std::vector<FunctionKey> functions, const PrepareOptions& options, Program& program);

  // Compiles the functions, in their order as far as threads are free, and goes on after a failure.
  // Blocks until that is done or given up. Call it once, in no WorkScope. Returns the failure of
  // the first in the list that failed; Cancelled or DeadlineExceeded, with how many were left, if
  // the options ended it before.
  absl::Status Run(CompileThreads& threads) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Work() ABSL_LOCKS_EXCLUDED(mutex_);
  void AddWorker() ABSL_LOCKS_EXCLUDED(mutex_);
  void RemoveWorker() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Wait() ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<size_t> Take() ABSL_LOCKS_EXCLUDED(mutex_);
  void Settle(size_t i, absl::Status status) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::vector<FunctionKey> functions_;
  std::vector<std::shared_ptr<SourceModule>> modules_;  // Of the functions.
  const PrepareOptions options_;
  Program& program_;
  const absl::Duration deadline_;  // As SteadyNow.
  absl::Mutex mutex_;
  size_t workers_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t failed_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t failed_at_ ABSL_GUARDED_BY(mutex_) = SIZE_MAX;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  bool is_cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_PREPARATION_H_
