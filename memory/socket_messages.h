// Messages over a stream socket: a length, a number that an answer has from its request, and bytes.
//
// Several threads may send if they exclude each other, and so with receiving. Nothing raises
// SIGPIPE.

#ifndef FIRSTCALL_MEMORY_SOCKET_MESSAGES_H_
#define FIRSTCALL_MEMORY_SOCKET_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

// Bytes. The lists of an object's actions are far shorter; what is longer was not sent by us.
constexpr size_t kLargestMessage = size_t{64} << 20;

struct SocketMessage {
  uint64_t number = 0;
  std::string bytes;
};

// Blocks while the other side does not read. InvalidArgument if there are too many bytes: nothing
// was sent. Unavailable, with the system's reason, if they cannot be sent: the socket is of no use
// then.
absl::Status SendMessage(int socket, uint64_t number, absl::string_view bytes);

// Blocks until there is one. OutOfRange if the other side closed the socket after a whole message;
// Unavailable if that was in the middle or the system tells of an error; InvalidArgument if what
// comes is no message.
absl::StatusOr<SocketMessage> ReceiveMessage(int socket);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SOCKET_MESSAGES_H_
