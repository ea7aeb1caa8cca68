// Files that go along with a message over a local socket (SCM_RIGHTS), at most kMost: the part of a
// msghdr that sendmsg and recvmsg want for them.
//
//   PassedFiles files;                    PassedFiles files;
//   files.Attach({file}, message);        files.MakeRoom(message);
//   sendmsg(socket, &message, ...);       recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
//                                         std::vector<File> received = files.Take(message);
//
// Thread-compatible.

#ifndef FIRSTCALL_BASE_PASSED_FILES_H_
#define FIRSTCALL_BASE_PASSED_FILES_H_

#include <sys/socket.h>

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "base/file.h"

namespace firstcall {

class PassedFiles {
 public:
  static constexpr size_t kMost = 2;

  // `message` is to carry `files`, which stay the caller's. None is possible, too.
  void Attach(absl::Span<const int> files, msghdr& message);
  // `message` is to receive files. Those that it has no room for are lost (MSG_CTRUNC).
  void MakeRoom(msghdr& message);
  // Those that `message` has brought.
  static std::vector<File> Take(const msghdr& message);

 private:
  alignas(cmsghdr) char space_[CMSG_SPACE(kMost * sizeof(int))];
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_PASSED_FILES_H_
