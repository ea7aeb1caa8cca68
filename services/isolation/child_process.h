// Divides a process in two: a child, which goes on with the work and may crash or be ended, and its
// parent, which only watches it (docs/isolation.md).
//
// Tested in tests/services/isolation/child_process_test.cc.

#ifndef FIRSTCALL_SERVICES_ISOLATION_CHILD_PROCESS_H_
#define FIRSTCALL_SERVICES_ISOLATION_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace firstcall {

struct ChildLimits {
  // The child is killed when so much time has passed by the clock.
  absl::Duration time = absl::InfiniteDuration();
  // The child gets no more memory than this (RLIMIT_DATA: private writable memory of the process,
  // in bytes). What it shares with other processes does not count.
  uint64_t memory = std::numeric_limits<uint64_t>::max();
};

struct ChildEnd {
  enum class How { kExited, kSignaled, kTimedOut };

  How how = How::kExited;
  int code = 0;  // The exit status, or the number of the signal.
};

// "exit status 3", "signal 11 (Segmentation fault)".
std::string Describe(const ChildEnd& end);

// For a child that was just forked: ends it with its parent, whose number is `parent`, and limits
// its memory.
void SetUpChild(const ChildLimits& limits, pid_t parent);

// How a process ended, by the `status` that waitpid returned.
ChildEnd EndOf(int status);

// Returns twice: nullopt in the child, which is a copy of this process with the same files,
// terminal and process group; and in the parent, after the child has ended, how it ended. Internal
// if there can be no child.
//
// The child cannot outlive the thread that calls this. What other processes send to the parent of
// SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1 and SIGUSR2 is passed on to the child; a terminal sends
// its signals to both, and the parent waits until the child has ended from them or handled them.
// Processes that the child has started are not ended with it.
//
// To be called before the process has a second thread: a thread would exist in the parent only.
absl::StatusOr<std::optional<ChildEnd>> ContinueInChild(const ChildLimits& limits);

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_ISOLATION_CHILD_PROCESS_H_
