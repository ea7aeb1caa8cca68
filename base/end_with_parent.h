// How a forked child makes sure that it does not outlive the process that has forked it.

#ifndef FIRSTCALL_BASE_END_WITH_PARENT_H_
#define FIRSTCALL_BASE_END_WITH_PARENT_H_

#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

namespace firstcall {

// From now on the system kills this process when the thread that has forked it ends. `parent` is
// that thread's process; if it has ended already, so does this one, with status 0. Tested in
// tests/services/isolation/child_process_test.cc.
inline void EndWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const pid_t present = getppid();
  // Zero: the parent is outside this process's namespace (unshare(2), CLONE_NEWPID).
  if (present != parent && present != 0) _exit(0);
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_END_WITH_PARENT_H_
