#include "memory/socket_messages.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "base/socket_error.h"
#include "base/status.h"

namespace firstcall {
namespace {

struct Header {
  uint64_t size;
  uint64_t number;
};

// Memory is allocated in such steps as bytes arrive, whatever size the header claims.
constexpr size_t kStep = size_t{1} << 20;

// The number of bytes received; fewer than `size` if the other side closed the socket.
absl::StatusOr<size_t> Receive(int socket, char* to, size_t size) {
  size_t received = 0;
  while (received < size) {
    const ssize_t count = recv(socket, to + received, size - received, 0);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SocketError("recv");
    received += static_cast<size_t>(count);
  }
  return received;
}

}  // namespace

absl::Status SendMessage(int socket, uint64_t number, absl::string_view bytes) {
  if (bytes.size() > kLargestMessage) {
    return absl::InvalidArgumentError(
        absl::StrCat("a message of ", bytes.size(), " bytes is too long"));
  }
  const Header header = {bytes.size(), number};
  std::string message(reinterpret_cast<const char*>(&header), sizeof(header));
  message.append(bytes.data(), bytes.size());
  size_t sent = 0;
  while (sent < message.size()) {
    const ssize_t count = send(socket, &message[sent], message.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SocketError("send");
    sent += static_cast<size_t>(count);
  }
  return absl::OkStatus();
}

absl::StatusOr<SocketMessage> ReceiveMessage(int socket) {
  Header header;
  FIRSTCALL_ASSIGN_OR_RETURN(const size_t received,
                             Receive(socket, reinterpret_cast<char*>(&header), sizeof(header)));
  if (received == 0) return absl::OutOfRangeError("the other side has closed the connection");
  const absl::Status cut_off = absl::UnavailableError("the connection ended within a message");
  if (received < sizeof(header)) return cut_off;
  if (header.size > kLargestMessage) return absl::InvalidArgumentError("not a message");
  SocketMessage message;
  message.number = header.number;
  while (message.bytes.size() < header.size) {
    const size_t before = message.bytes.size();
    const size_t step = std::min<size_t>(kStep, header.size - before);
    message.bytes.resize(before + step);
    FIRSTCALL_ASSIGN_OR_RETURN(const size_t more, Receive(socket, &message.bytes[before], step));
    if (more < step) return cut_off;
  }
  return message;
}

}  // namespace firstcall
