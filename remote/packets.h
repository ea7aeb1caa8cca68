// Packets between a client, a server and its workers, over local sockets that keep the bounds of
// packets (SOCK_SEQPACKET). A packet may carry files.
//
// Thread-safe: pure functions. Tested in tests/remote/lane_test.cc.

#ifndef FIRSTCALL_REMOTE_PACKETS_H_
#define FIRSTCALL_REMOTE_PACKETS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "remote/file.h"

namespace firstcall {

struct Packet {
  std::string bytes;
  std::vector<File> files;
};

// Never raises SIGPIPE. Does not block: Unavailable, with the system's reason, if the other end is
// gone or does not read.
absl::Status SendPacket(int socket, absl::string_view bytes, const std::vector<int>& files = {});

// The next packet. OutOfRange if the other end is gone; DeadlineExceeded if none has come until
// `deadline` (of base/steady_clock; the past: does not wait); InvalidArgument if it is longer than
// kLargestPacket or has more than two files; Unavailable, with the system's reason, otherwise.
absl::StatusOr<Packet> ReceivePacket(int socket, absl::Duration deadline);

// Waits until there is something to read, or the other end is gone. False if neither was the case
// until `deadline`.
bool WaitToRead(int socket, absl::Duration deadline);

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_PACKETS_H_
