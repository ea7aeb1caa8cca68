// Threads that compile.
//
// They are stopped when the process exits. Two kinds, as many of each as the client asks for,
// started when first needed: those that compile what a caller waits for, and, at a lower priority
// of the operating system, those that compile ahead of need. So a caller waits for no background
// work.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_COMPILE_THREADS_H_
#define FIRSTCALL_ENGINE_COMPILE_THREADS_H_

#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/own_thread.h"
#include "engine/exit_hook.h"
#include "engine/work_scope.h"

namespace firstcall {

// As OwnThread::Start, for work that compiles.
absl::StatusOr<std::unique_ptr<OwnThread>> StartCompilerThread(std::function<void()> work);

class CompileThreads {
 public:
  using Job = std::function<void()>;

  // With `count` 0 everything runs on the calling threads.
  explicit CompileThreads(size_t count) : count_(count) {}

  ~CompileThreads();
  CompileThreads(const CompileThreads&) = delete;
  CompileThreads& operator=(const CompileThreads&) = delete;

  size_t count() const { return count_; }

  // Runs `job` on a compile thread and returns when it is done; if there are none, or on one of
  // them, runs it here. The caller is at work (see WorkScope), and must hold no lock that the job
  // may need. What `job` throws is thrown here.
  void Run(absl::FunctionRef<void()> job) ABSL_LOCKS_EXCLUDED(team_mutex_);

  // Runs `job` in the background some time, or never, if the threads are stopped before. It must
  // not let an exception escape. False, and it will not run, if there are no threads (any more).
  bool RunInBackground(Job job) ABSL_LOCKS_EXCLUDED(team_mutex_);

  // Waits for the jobs that run, drops those that wait in the background, and ends the threads:
  // from then on jobs run on the calling threads. Not to be called with a lock that a job may need.
  void Stop() ABSL_LOCKS_EXCLUDED(team_mutex_);

  // The same, when the process exits; and no other thread compiles from then on.
  void StopForExit() ABSL_LOCKS_EXCLUDED(team_mutex_);

 private:
  struct Kind {
    std::deque<Job> jobs;
    std::vector<std::unique_ptr<OwnThread>> threads;
    size_t idle = 0;
  };
  // The threads of one process. A forked child makes new ones, because any of its parent's threads
  // may have held the mutex.
  struct Team {
    explicit Team(pid_t process) : owner(process) {}
    const pid_t owner;
    absl::Mutex mutex;
    bool is_stopping ABSL_GUARDED_BY(mutex) = false;
    Kind demanded ABSL_GUARDED_BY(mutex);
    Kind background ABSL_GUARDED_BY(mutex);
  };

  Team& OwnTeam() ABSL_LOCKS_EXCLUDED(team_mutex_);
  // False if there is no thread that would do it.
  bool Add(Team& team, Kind& kind, Job job, int niceness) ABSL_EXCLUSIVE_LOCKS_REQUIRED(team.mutex);
  static void Work(Team& team, Kind& kind, int niceness);

  const size_t count_;
  absl::Mutex team_mutex_;  // Taken inside a WorkScope, for the sake of fork.
  Team* team_ ABSL_GUARDED_BY(team_mutex_) = nullptr;  // Null while there are no threads.
  std::optional<ExitHook> exit_hook_ ABSL_GUARDED_BY(team_mutex_);
  std::optional<ExitHook> early_exit_hook_ ABSL_GUARDED_BY(team_mutex_);
};

// Work of the calling thread, parts of which a compile thread may do for it. A thread that was at
// work already does them itself, because it may hold what they need.
class DelegatingWorkScope {
 public:
  explicit DelegatingWorkScope(CompileThreads& threads)
      : DelegatingWorkScope(threads, !WorkScope::IsAtWork()) {}

  // The same for a caller who knows whether the thread was.
  DelegatingWorkScope(CompileThreads& threads, bool may_delegate)
      : threads_(may_delegate ? &threads : nullptr) {}

  // As CompileThreads::Run, if there is one to do it.
  void Run(absl::FunctionRef<void()> job) {
    if (threads_ != nullptr) return threads_->Run(job);
    job();
  }

 private:
  CompileThreads* const threads_;
  const WorkScope scope_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_COMPILE_THREADS_H_
