// A thread for calls that may block for any time, such as those of a library that talks to a
// server. A caller waits for its job no longer than a timeout. After that the thread is given up:
// it goes on with the job, and ends with it.
//
// Thread-safe. Tested in tests/cache/job_thread_test.cc.

#ifndef FIRSTCALL_CACHE_JOB_THREAD_H_
#define FIRSTCALL_CACHE_JOB_THREAD_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace firstcall {

class JobThread {
 public:
  // The thread starts with the first job, on a stack of at least `stack_bytes`.
  explicit JobThread(size_t stack_bytes);
  // The thread ends after the job that it has, if any.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  // Runs `job` after the jobs of earlier calls, and returns the job's status. DeadlineExceeded if
  // it has not ended after `timeout`: the job goes on, so it must own all that it uses, and the
  // thread takes no further job. Unavailable if the thread was given up before, cannot be started,
  // or does not exist because the process was forked.
  absl::Status Run(std::function<absl::Status()> job, absl::Duration timeout);

  // Whether this process was forked after the constructor had run. What jobs use may then be in any
  // state, and shared with the parent.
  bool is_forked() const;

 private:
  struct State;

  const std::shared_ptr<State> state_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_JOB_THREAD_H_
