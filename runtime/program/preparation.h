// Compiles a list of functions ahead of need, and optimizes them if that is asked for, on all
// compile threads.
//
// Thread-safe. Tested in tests/api/threads_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_PREPARATION_H_
#define FIRSTCALL_RUNTIME_PROGRAM_PREPARATION_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "runtime/link/function_key.h"
#include "runtime/link/source_module.h"
#include "runtime/process/compile_threads.h"
#include "runtime/program/program.h"
#include "runtime/promotion/promoter.h"
#include "seam/options.h"

namespace firstcall {

// One call of Engine::Prepare.
class Preparation {
 public:
  // The caller must be in a WorkScope, so that the functions' modules exist. Afterwards they may be
  // removed. `program` and `promoter` must outlive this object. `promoter` is null if functions are
  // never replaced.
  Preparation(std::vector<FunctionKey> functions, const PrepareOptions& options, Program& program,
              Promoter* promoter);

  // Compiles the functions, in their order as threads become free, and continues after a failure.
  // Blocks until all are done or the options stop the work. Call it once, and in no WorkScope. If
  // the options stopped the work, returns Cancelled or DeadlineExceeded, with the number of
  // functions left. Otherwise returns the failure of the first function in the list that failed.
  absl::Status Run(CompileThreads& threads) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Work(CompileThreads& threads) ABSL_LOCKS_EXCLUDED(mutex_);
  void Optimize(FunctionKey function, CompileThreads& threads);
  void NoteException() ABSL_LOCKS_EXCLUDED(mutex_);
  void AddWorker() ABSL_LOCKS_EXCLUDED(mutex_);
  void RemoveWorker() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Wait() ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<size_t> Take() ABSL_LOCKS_EXCLUDED(mutex_);
  void RecordResult(size_t i, absl::Status status) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::vector<FunctionKey> functions_;
  std::vector<std::shared_ptr<SourceModule>> modules_;  // Keeps the functions' modules alive.
  const PrepareOptions options_;
  Program& program_;
  Promoter* const promoter_;       // Null unless the functions are to be optimized.
  const absl::Duration deadline_;  // On the clock of SteadyNow.
  absl::Mutex mutex_;
  size_t workers_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t failed_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t failed_at_ ABSL_GUARDED_BY(mutex_) = SIZE_MAX;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  bool is_cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  std::exception_ptr exception_ ABSL_GUARDED_BY(mutex_);
};

// Lists functions in a WorkScope, prepares them, and blocks until they are prepared. Errors are
// those of `list`, and of Preparation::Run. The others are as for a Preparation.
absl::Status PrepareFunctions(absl::FunctionRef<absl::StatusOr<std::vector<FunctionKey>>()> list,
                              const PrepareOptions& options, Program& program, Promoter* promoter,
                              CompileThreads& threads);

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_PREPARATION_H_
