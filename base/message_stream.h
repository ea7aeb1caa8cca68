// Messages over a local stream socket to another process: a tag, whose meaning the two processes
// agree on, bytes, and perhaps a file. The other process may have ended, hang, or send anything:
// each wait has an end, and what arrives is checked.
//
// Thread-safe: pure functions. One thread at a time may send over a socket, and one may receive.
// Tested in tests/base/message_stream_test.cc.

#ifndef FIRSTCALL_BASE_MESSAGE_STREAM_H_
#define FIRSTCALL_BASE_MESSAGE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/kept_file.h"
#include "base/socket_stream.h"

namespace firstcall {

struct StreamMessage {
  uint64_t tag = 0;
  std::string bytes;
  File file;  // Not open if no file came with the message.
};

// In both functions `longest` is less than 4 GiB.

// Blocks until the message is sent, with `file` unless that is negative. Never raises SIGPIPE.
// InvalidArgument if `bytes` has more than `longest` bytes; then nothing was sent, and the socket
// may be used further. Otherwise the errors of SendStream, after which it may not.
absl::Status SendMessage(const KeptFile& socket, uint64_t tag, absl::string_view bytes,
                         size_t longest, const StreamPatience& patience, int file = -1);

// Blocks until a message has arrived. OutOfRange if the other end was closed, or its process has
// ended, before a message's header was complete; Unavailable if
// that was within its bytes; InvalidArgument if the
// message has more than `longest` bytes; otherwise the errors of ReceiveStream. After an error the
// socket may not be used further.
absl::StatusOr<StreamMessage> ReceiveMessage(const KeptFile& socket, size_t longest,
                                             const StreamPatience& patience);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_MESSAGE_STREAM_H_
