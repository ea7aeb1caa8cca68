// Packets between processes, over local sockets that keep the bounds of packets (SOCK_SEQPACKET). A
// packet may carry files.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_BASE_PACKETS_H_
#define FIRSTCALL_BASE_PACKETS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/file.h"

namespace firstcall {

// In bytes. Nobody sends a longer one.
inline constexpr size_t kLargestPacket = size_t{32} << 10;

struct Packet {
  std::string bytes;
  std::vector<File> files;
};

// Never raises SIGPIPE. Does not block: Unavailable, with the system's reason, if the other end is
// gone or does not read. At most PassedFiles::kMost files.
absl::Status SendPacket(int socket, absl::string_view bytes, absl::Span<const int> files = {});

// The next packet. OutOfRange if the other end is gone; DeadlineExceeded if none has come until
// `deadline` (of base/steady_clock; the past: does not wait); InvalidArgument if it is longer than
// kLargestPacket or has too many files; Unavailable, with the system's reason, otherwise.
absl::StatusOr<Packet> ReceivePacket(int socket, absl::Duration deadline);

// Waits until there is something to read, or the other end is gone. False if neither was the case
// until `deadline`.
bool WaitToRead(int socket, absl::Duration deadline);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_PACKETS_H_
