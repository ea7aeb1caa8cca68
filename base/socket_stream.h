// Bytes over a local stream socket whose other end another process has, which may end, hang, or
// send anything: each wait has an end. The first byte may bring a file along.
//
// Thread-safe: pure functions. One thread at a time may send over a socket, and one may receive.
// Tested in tests/base/socket_stream_test.cc.

#ifndef FIRSTCALL_BASE_SOCKET_STREAM_H_
#define FIRSTCALL_BASE_SOCKET_STREAM_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/kept_file.h"

namespace firstcall {

// How long to wait.
struct StreamPatience {
  // Of base/steady_clock. After it nothing is sent or received, even if that needs no waiting:
  // otherwise an endless stream of bytes would have no end.
  absl::Duration deadline = absl::InfiniteDuration();
  // A file that becomes readable when the other process has ended; -1 if there is none.
  int end_notice = -1;
};

// Sends all of `parts`, one behind the other, and `file` unless it is negative. Never raises
// SIGPIPE. DeadlineExceeded; OutOfRange if the other process has ended by its notice; Unavailable,
// with the system's reason, otherwise. After an error an unknown part of the bytes was sent.
absl::Status SendStream(const KeptFile& socket, absl::Span<const absl::string_view> parts,
                        const StreamPatience& patience, int file = -1);

// Receives exactly `size` bytes; a file that comes with them replaces `file`, if that is not null.
// Errors as above, and OutOfRange if the other end was closed. What was sent before comes first.
absl::Status ReceiveStream(const KeptFile& socket, char* to, size_t size,
                           const StreamPatience& patience, File* file = nullptr);

// The same, behind what `bytes` has. Memory is allocated in steps, as the bytes arrive, because the
// sender may have claimed any size.
absl::Status ReceiveStream(const KeptFile& socket, std::string& bytes, size_t size,
                           const StreamPatience& patience, File* file = nullptr);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_SOCKET_STREAM_H_
