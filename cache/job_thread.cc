// The state is shared by the thread and its JobThread, so either may end first. The thread holds
// the mutex only to take a job and to store its result.

#include "cache/job_thread.h"

#include <unistd.h>

#include <deque>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/own_thread.h"

namespace firstcall {

struct JobThread::State {
  struct Job {
    std::function<absl::Status()> run;
    absl::Status status;
    bool is_done = false;
  };

  explicit State(size_t size) : stack_bytes(size) {}

  // Runs until the thread is given up.
  void Work() {
    while (true) {
      std::shared_ptr<Job> job;
      {
        absl::MutexLock lock(&mutex);
        mutex.Await(absl::Condition(
            +[](State* self) ABSL_EXCLUSIVE_LOCKS_REQUIRED(self->mutex) {
              return self->is_stopped || !self->jobs.empty();
            },
            this));
        if (is_stopped) return;
        job = std::move(jobs.front());
        jobs.pop_front();
      }
      absl::Status status = job->run();
      job->run = nullptr;
      absl::MutexLock lock(&mutex);
      job->status = std::move(status);
      job->is_done = true;
    }
  }

  const size_t stack_bytes;
  const pid_t process = getpid();
  absl::Mutex mutex;
  bool is_started ABSL_GUARDED_BY(mutex) = false;
  bool is_stopped ABSL_GUARDED_BY(mutex) = false;
  std::deque<std::shared_ptr<Job>> jobs ABSL_GUARDED_BY(mutex);
};

JobThread::JobThread(size_t stack_bytes) : state_(std::make_shared<State>(stack_bytes)) {}

JobThread::~JobThread() {
  if (is_forked()) return;  // The mutex may be locked by a thread of the parent.
  absl::MutexLock lock(&state_->mutex);
  state_->is_stopped = true;
}

bool JobThread::is_forked() const { return getpid() != state_->process; }

absl::Status JobThread::Run(std::function<absl::Status()> job, absl::Duration timeout) {
  if (is_forked()) return absl::UnavailableError("the process was forked");
  auto shared = std::make_shared<State::Job>();
  shared->run = std::move(job);
  absl::MutexLock lock(&state_->mutex);
  if (state_->is_stopped) return absl::UnavailableError("the connection was given up");
  if (!state_->is_started) {
    absl::StatusOr<std::unique_ptr<OwnThread>> thread =
        OwnThread::Start(state_->stack_bytes, [state = state_] { state->Work(); });
    if (!thread.ok()) return absl::UnavailableError(thread.status().message());
    (*thread)->Detach();
    state_->is_started = true;
  }
  state_->jobs.push_back(shared);
  if (!state_->mutex.AwaitWithTimeout(absl::Condition(&shared->is_done), timeout)) {
    state_->is_stopped = true;
    return absl::DeadlineExceededError("no answer in time");
  }
  return shared->status;
}

}  // namespace firstcall
