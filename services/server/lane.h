// One end of a lane: a stream socket over which a thread of the client and a thread of a worker
// take turns to send messages. A message may carry one file.
//
// Thread-compatible. After an error the lane cannot be used any more. Tested in
// tests/services/server/lane_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_LANE_H_
#define FIRSTCALL_SERVICES_SERVER_LANE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "base/kept_file.h"
#include "base/socket_stream.h"
#include "services/server/protocol.h"

namespace firstcall {

class Lane {
 public:
  struct Message {
    LaneMessage kind = LaneMessage::kAnswer;
    std::string body;
    File file;
  };

  // Sending a message may take `budget` at most, and so may each wait for a message. `socket` must
  // outlive the lane.
  Lane(const KeptFile& socket, absl::Duration budget) : socket_(socket), budget_(budget) {}

  // Blocks until the message is sent. `file` is sent along unless it is negative. Unavailable, with
  // the system's reason, if the other end is gone, or if the program has closed this end;
  // DeadlineExceeded after the budget; InvalidArgument if `body` is longer than
  // kLargestLaneMessage. Never raises SIGPIPE.
  absl::Status Send(LaneMessage kind, absl::string_view body, int file = -1);

  // Blocks until a message has arrived. Errors as Send; OutOfRange if the other end was closed
  // before a message; InvalidArgument if the bytes are not a message.
  absl::StatusOr<Message> Receive();

  // Blocks for `time` at most. Returns whether Receive would not have to wait: a message is
  // arriving, or an end was closed.
  bool WaitToReceive(absl::Duration time) const;
  // Whether an end is known to be closed. Does not block. Async-signal-safe.
  bool IsClosed() const;

  absl::Duration budget() const { return budget_; }

 private:
  // The limits for a message that begins now.
  StreamPatience Patience() const;

  const KeptFile& socket_;
  const absl::Duration budget_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_LANE_H_
