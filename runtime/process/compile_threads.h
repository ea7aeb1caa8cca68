// Threads that compile.
//
// There are two kinds, each with as many threads as the client asks for: threads that compile for a
// waiting caller, and threads of a lower operating-system priority that compile ahead of need. So
// no caller waits for background work. If the client asks for none, there are threads of the first
// kind nevertheless, as many as processors at most, for callers whose stacks may be too small.
// Threads start when they are first needed and stop when the process exits or their engine ends.
//
// Thread-safe. Tested in tests/api/threads_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_COMPILE_THREADS_H_
#define FIRSTCALL_RUNTIME_PROCESS_COMPILE_THREADS_H_

#include <cstddef>
#include <cstdint>
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
#include "runtime/process/exit_hook.h"
#include "runtime/process/work_scope.h"

namespace firstcall {

// Like OwnThread::Start, for work that compiles.
absl::StatusOr<std::unique_ptr<OwnThread>> StartCompilerThread(std::function<void()> work);

class CompileThreads {
 public:
  using Job = std::function<void()>;

  // With `count` 0, everything runs on the calling threads that have kStackToCompile left
  // (base/stack_space.h).
  explicit CompileThreads(size_t count) : count_(count) {}

  ~CompileThreads();
  CompileThreads(const CompileThreads&) = delete;
  CompileThreads& operator=(const CompileThreads&) = delete;

  size_t count() const { return count_; }

  // Whether the calling thread is a compile thread, of any engine.
  static bool IsOnOne();

  // Runs `job` on a compile thread and returns when it is done. Runs `job` on this thread if this
  // is a compile thread, if no compile threads were asked for and this thread's stack is large
  // enough, or if no thread can be started. The caller is at work (see WorkScope), and must hold no
  // lock that the job may need. An exception that `job` throws is thrown here.
  void Run(absl::FunctionRef<void()> job) ABSL_LOCKS_EXCLUDED(team_mutex_);

  // Runs `job` in the background later, or never if the threads are stopped before. `job` must not
  // let an exception escape. If no threads were asked for, or they were stopped, returns false and
  // does not run the job.
  bool RunInBackground(Job job) ABSL_LOCKS_EXCLUDED(team_mutex_);

  // Waits for running jobs, drops background jobs that have not begun, and ends the threads. From
  // then on jobs run on the calling threads. The caller must hold no lock that a job may need.
  void Stop() ABSL_LOCKS_EXCLUDED(team_mutex_);

 private:
  struct Kind {
    std::deque<Job> jobs;
    std::vector<std::unique_ptr<OwnThread>> threads;
    size_t idle = 0;
  };
  // The threads of one process. A forked child makes a new team, because a thread of its parent may
  // have held the mutex.
  struct Team {
    explicit Team(uint64_t process) : owner(process) {}
    const uint64_t owner;
    absl::Mutex mutex;
    bool is_stopping ABSL_GUARDED_BY(mutex) = false;
    Kind demanded ABSL_GUARDED_BY(mutex);
    Kind background ABSL_GUARDED_BY(mutex);
  };

  Team& OwnTeam() ABSL_LOCKS_EXCLUDED(team_mutex_);
  // The same, for threads that may be started.
  Team& TeamAtWork() ABSL_LOCKS_EXCLUDED(team_mutex_);
  // Returns false if there is no thread to run the job. At most `most` threads of that kind may
  // exist.
  static bool Add(Team& team, Kind& kind, size_t most, Job job, int niceness)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(team.mutex);
  static void Work(Team& team, Kind& kind, int niceness);

  const size_t count_;
  absl::Mutex team_mutex_;  // Taken inside a ForkScope, so that no fork happens while it is held.
  Team* team_ ABSL_GUARDED_BY(team_mutex_) = nullptr;  // Null before the first thread is needed.
  std::optional<ExitHook> exit_hook_ ABSL_GUARDED_BY(team_mutex_);
};

// A WorkScope of the calling thread. Run passes jobs to a compile thread. If the calling thread was
// already at work, it runs the jobs itself, because it may hold locks or claims that they need.
class DelegatingWorkScope {
 public:
  explicit DelegatingWorkScope(CompileThreads& threads)
      : DelegatingWorkScope(threads, !WorkScope::IsAtWork()) {}

  // The same if the caller knows whether the thread was already at work.
  DelegatingWorkScope(CompileThreads& threads, bool may_delegate)
      : threads_(may_delegate ? &threads : nullptr) {}

  // Like CompileThreads::Run if delegating is allowed; otherwise runs `job` on this thread.
  void Run(absl::FunctionRef<void()> job) {
    if (threads_ != nullptr) return threads_->Run(job);
    job();
  }

 private:
  CompileThreads* const threads_;
  const WorkScope scope_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_COMPILE_THREADS_H_
