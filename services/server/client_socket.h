// A client's end of a connection to a compile server. A forked child closes its copy at once: the
// connection belongs to the process that made it, and ends with that process.
//
// Thread-safe. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_CLIENT_SOCKET_H_
#define FIRSTCALL_SERVICES_SERVER_CLIENT_SOCKET_H_

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "base/kept_file.h"

namespace firstcall {

class ClientSocket {
 public:
  // Takes over `file`.
  explicit ClientSocket(File file);
  ~ClientSocket();
  ClientSocket(const ClientSocket&) = delete;
  ClientSocket& operator=(const ClientSocket&) = delete;

  // Connects to the server that listens at `path`. Unavailable, with the system's reason, if no
  // server listens; DeadlineExceeded if the server takes no connection until `deadline`;
  // PermissionDenied if the server belongs to another user.
  static absl::StatusOr<std::unique_ptr<ClientSocket>> Connect(const std::string& path,
                                                               absl::Duration deadline);

  // The socket's file descriptor; negative in a forked child, or if the program has closed the
  // socket.
  int number() const { return file().number(); }
  // Not open in a forked child.
  const KeptFile& file() const;

 private:
  KeptFile file_;
  const pid_t process_ = getpid();
  ClientSocket* previous_ = nullptr;
  ClientSocket* next_ = nullptr;

  friend class ClientSockets;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_CLIENT_SOCKET_H_
