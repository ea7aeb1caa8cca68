// A process that starts other processes, which are copies of this one, one after the other, and
// waits for their ends. This process need not be a good parent then: its threads, its signal
// handlers and its waits for children do not matter.
//
//   this process ---- commands, ends ----> keeper ---- fork ----> child
//        \________________________ a socket ______________________/
//
// The keeper is forked when it is created and does nothing but this, so that a later child is a
// copy of this process as it was then. It ignores the terminal's signals, which the child gets. The
// child ends with the keeper, and the keeper with this process.
//
// The keeper forks a second one, a spare: it takes the first one's place if that is killed, or
// stopped, and then forks a spare itself.
//
// Thread-compatible, but for Kill, which any thread may call at any time. Tested in
// tests/services/isolation/keeper_test.cc.

#ifndef FIRSTCALL_SERVICES_ISOLATION_KEEPER_H_
#define FIRSTCALL_SERVICES_ISOLATION_KEEPER_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "services/isolation/child_process.h"

namespace firstcall {

class Keeper {
 public:
  // What a child does. It gets its end of the socket, and need not return; when it does, the child
  // ends with status 0, without exit handlers. If it throws, the child ends by SIGABRT.
  using Work = std::function<void(int socket)>;

  // `memory` is as in ChildLimits. Internal if there can be no process. To be called while no other
  // thread of this process holds a lock that `work` needs; best before there is another thread.
  static absl::StatusOr<std::unique_ptr<Keeper>> Create(uint64_t memory, Work work);
  // Kills the child. In a copy of this process, which was forked, it does nothing to the child.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  struct Child {
    pid_t process = 0;
    int socket = -1;  // This process's end, which the caller owns.
    uint64_t number = 0;
  };
  // There must be no child, or WaitForEnd must have returned, but not DeadlineExceeded. Internal if
  // there can be no process; Unavailable if the keeper and its spare were killed.
  absl::StatusOr<Child> Start();

  // Kills the child of that number, if it has not ended yet.
  void Kill(uint64_t number) const;

  // A file that is readable when the child has ended, or the keeper was killed.
  int end_notice() const { return control_; }

  // How the child ended. DeadlineExceeded if it has not ended at `deadline`; Unavailable if the
  // keeper was killed, and with it the child.
  absl::StatusOr<ChildEnd> WaitForEnd(absl::Duration deadline);

  // For a keeper that does not do what it should, because it is stopped: kills it, and so the
  // child.
  void Abandon();

 private:
  explicit Keeper(int control);
  absl::StatusOr<Child> AskForChild();
  void MakeSpare();
  bool TakeSpare();

  const int control_;
  const pid_t owner_;  // The process that has created this.
  File spare_;         // The control socket of the spare keeper.
  File keeper_;        // Stands for the keeper's process, if the system has such files.
  uint64_t next_number_ = 1;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_ISOLATION_KEEPER_H_
