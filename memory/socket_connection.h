// The way to an executing process that is at the other end of a stream socket, where ServeExecutor
// answers.
//
// Thread-safe. Any number of calls wait at once; one of their threads receives for all of them.

#ifndef FIRSTCALL_MEMORY_SOCKET_CONNECTION_H_
#define FIRSTCALL_MEMORY_SOCKET_CONNECTION_H_

#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "memory/executor_connection.h"
#include "memory/socket_messages.h"

namespace firstcall {

class SocketConnection final : public ExecutorConnection {
 public:
  // Takes over a blocking stream socket, such as one of a socketpair. The other end must be open in
  // the executing process only: while anyone has it, the system does not tell that it is lost.
  explicit SocketConnection(int socket) : socket_(socket) {}
  // Closes the socket. No call may be waiting.
  ~SocketConnection() override;
  SocketConnection(const SocketConnection&) = delete;
  SocketConnection& operator=(const SocketConnection&) = delete;

  // Blocks until the answer is there. Unavailable if the connection is lost, and ever after:
  // "code memory: the executing process is gone: <reason>". A client that wants to wait for a time
  // only gives the socket SO_RCVTIMEO; when it is over, the connection is lost.
  absl::StatusOr<std::string> Call(absl::string_view request) override
      ABSL_LOCKS_EXCLUDED(mutex_, send_mutex_);

 private:
  // What a call waits for.
  struct Answer {
    bool is_there = false;
    std::string bytes;
  };

  absl::StatusOr<std::string> WaitFor(uint64_t number) ABSL_LOCKS_EXCLUDED(mutex_);
  void ReceiveOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Lose(const absl::Status& reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int socket_;
  absl::Mutex send_mutex_;  // Held while a request is sent. Never together with `mutex_`.
  absl::Mutex mutex_;
  bool is_receiving_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status lost_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_number_ ABSL_GUARDED_BY(mutex_) = 1;
  absl::flat_hash_map<uint64_t, Answer> waiting_ ABSL_GUARDED_BY(mutex_);  // By number.
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SOCKET_CONNECTION_H_
