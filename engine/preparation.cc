#include "engine/preparation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"

namespace firstcall {
namespace {

// One call of PrepareFunctions, shared by the threads that work on it.
class Preparation {
 public:
  Preparation(std::vector<FunctionKey> functions, const PrepareOptions& options, Program& program)
      : functions_(std::move(functions)),
        options_(options),
        program_(program),
        deadline_(absl::Now() + options.budget) {}

  // Compiles functions until none is left.
  void Work() ABSL_LOCKS_EXCLUDED(mutex_) {
    while (std::optional<size_t> i = Take()) {
      const FunctionKey function = functions_[*i];
      absl::Status status =
          program_.Prepare(*function.module, function.ordinal, FunctionCompiler::Reason::kOrdered)
              .status();
      Settle(*i, std::move(status));
    }
  }

  void AddWorker() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    ++workers_;
  }

  void RemoveWorker() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    --workers_;
  }

  absl::Status Wait() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](size_t* workers) { return *workers == 0; }, &workers_));
    if (done_ == functions_.size()) return failure_;
    const std::string left =
        absl::StrCat("preparing functions: ", functions_.size() - done_, " were not compiled");
    return is_cancelled_ ? absl::CancelledError(left) : absl::DeadlineExceededError(left);
  }

 private:
  std::optional<size_t> Take() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (is_cancelled_ || next_ == functions_.size() || absl::Now() >= deadline_) {
      return std::nullopt;
    }
    return next_++;
  }

  void Settle(size_t i, absl::Status status) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    ++done_;
    if (!status.ok()) {
      ++failed_;
      if (i < failed_at_) {
        failed_at_ = i;
        failure_ = std::move(status);
      }
    }
    if (options_.progress && !options_.progress({done_, failed_, functions_.size()})) {
      is_cancelled_ = true;
    }
  }

  const std::vector<FunctionKey> functions_;
  const PrepareOptions& options_;
  Program& program_;
  const absl::Time deadline_;
  absl::Mutex mutex_;
  size_t workers_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t failed_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t failed_at_ ABSL_GUARDED_BY(mutex_) = SIZE_MAX;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  bool is_cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

absl::Status PrepareFunctions(std::vector<FunctionKey> functions, const PrepareOptions& options,
                              Program& program, CompileThreads& threads) {
  const size_t worker_count = std::min(std::max<size_t>(threads.count(), 1), functions.size());
  Preparation preparation(std::move(functions), options, program);
  for (size_t i = 0; i < worker_count; ++i) {
    preparation.AddWorker();
    const auto work = [&preparation] {
      preparation.Work();
      preparation.RemoveWorker();
    };
    if (!threads.RunInBackground(work)) work();
  }
  return preparation.Wait();
}

}  // namespace firstcall
