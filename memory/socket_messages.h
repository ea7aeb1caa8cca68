// Messages over a stream socket: a length, a number that is the same in a request and its answer,
// and bytes.
//
// Only one thread may send at a time, and only one may receive at a time. Never raises SIGPIPE.
// Tested in tests/memory/socket_connection_test.cc.

#ifndef FIRSTCALL_MEMORY_SOCKET_MESSAGES_H_
#define FIRSTCALL_MEMORY_SOCKET_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

// In bytes. An object's lists of actions are far shorter; a longer message did not come from us.
constexpr size_t kLargestMessage = size_t{64} << 20;

struct SocketMessage {
  uint64_t number = 0;
  std::string bytes;
};

// Blocks while the other side does not read. InvalidArgument if `bytes` is longer than
// kLargestMessage; then nothing was sent. Unavailable, with the system's reason, if sending fails;
// then the socket is of no use any more.
absl::Status SendMessage(int socket, uint64_t number, absl::string_view bytes);

// Blocks until a message has arrived. OutOfRange if the other side closed the socket after a
// complete message; Unavailable if it closed the socket within a message or if the system reports
// an error; InvalidArgument if the bytes are not a message.
absl::StatusOr<SocketMessage> ReceiveMessage(int socket);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SOCKET_MESSAGES_H_
