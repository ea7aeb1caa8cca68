// One end of a lane: a stream socket over which a thread of the client and a thread of a worker
// take turns to send messages. A message may carry one file.
//
// Thread-compatible. After an error the lane is of no use any more. Tested in
// tests/remote/lane_test.cc.

#ifndef FIRSTCALL_REMOTE_LANE_H_
#define FIRSTCALL_REMOTE_LANE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "base/kept_file.h"
#include "base/socket_stream.h"
#include "remote/protocol.h"

namespace firstcall {

class Lane {
 public:
  struct Message {
    LaneMessage kind = LaneMessage::kAnswer;
    std::string body;
    File file;
  };

  // No message may take longer than `budget` to be sent, or, from when it is waited for, to come.
  // Does not take over the socket.
  Lane(const KeptFile& socket, absl::Duration budget) : socket_(socket), budget_(budget) {}

  // Unavailable, with the system's reason, if the other end is gone, or the program has closed this
  // one; DeadlineExceeded. `file` is sent along unless it is negative. Never raises SIGPIPE.
  absl::Status Send(LaneMessage kind, absl::string_view body, int file = -1);

  // Blocks until a message has come. Errors as Send; OutOfRange if the other end was closed;
  // InvalidArgument if the bytes are not a message.
  absl::StatusOr<Message> Receive();

  // Whether there is something to receive within `time`, if only that an end was closed.
  bool WaitToReceive(absl::Duration time) const;
  // Whether an end was closed, as far as is known. Does not block. Async-signal-safe.
  bool IsClosed() const;

  absl::Duration budget() const { return budget_; }

 private:
  // For a message that begins now.
  StreamPatience Patience() const;

  const KeptFile& socket_;
  const absl::Duration budget_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_LANE_H_
