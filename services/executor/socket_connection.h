// A connection to an executing process over a stream socket, at whose other end ServeExecutor
// answers.
//
// Thread-safe. Any number of calls may wait; the thread of one of them receives for all.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_SOCKET_CONNECTION_H_
#define FIRSTCALL_SERVICES_EXECUTOR_SOCKET_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/kept_file.h"
#include "base/socket_stream.h"
#include "services/executor/executor_connection.h"

namespace firstcall {

// In bytes. An object's lists of actions are far shorter; a longer message did not come from us.
inline constexpr size_t kLongestExecutorMessage = size_t{64} << 20;

class SocketConnection final : public ExecutorConnection {
 public:
  // Takes over a stream socket, such as one of a socketpair. Only the executing process may have
  // the other end open: while any process has it open, the system does not report its loss. If the
  // executing process answers no call within `budget`, the connection is lost.
  explicit SocketConnection(int socket, absl::Duration budget = absl::InfiniteDuration());
  // Closes the socket. No call may be waiting.
  ~SocketConnection() override = default;
  SocketConnection(const SocketConnection&) = delete;
  SocketConnection& operator=(const SocketConnection&) = delete;

  // Blocks until the answer has arrived. InvalidArgument if the request is longer than
  // kLongestExecutorMessage. Unavailable, from then on for every call, if the connection is lost:
  // "code memory: the executing process is gone: <reason>".
  absl::StatusOr<std::string> Call(absl::string_view request) override
      ABSL_LOCKS_EXCLUDED(mutex_, send_mutex_);

 private:
  // The answer that a call waits for.
  struct Answer {
    bool is_there = false;
    std::string bytes;
  };

  absl::StatusOr<std::string> WaitFor(uint64_t number) ABSL_LOCKS_EXCLUDED(mutex_);
  void ReceiveOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Lose(const absl::Status& reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  StreamPatience Patience() const;

  const KeptFile socket_;
  const absl::Duration budget_;
  absl::Mutex send_mutex_;  // Held while a request is sent. Never held together with `mutex_`.
  absl::Mutex mutex_;
  bool is_receiving_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status lost_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_number_ ABSL_GUARDED_BY(mutex_) = 1;
  absl::flat_hash_map<uint64_t, Answer> waiting_ ABSL_GUARDED_BY(mutex_);  // By number.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_SOCKET_CONNECTION_H_
