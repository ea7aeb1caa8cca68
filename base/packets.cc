#include "base/packets.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/passed_files.h"
#include "base/poll_timeout.h"
#include "base/socket_error.h"

namespace firstcall {
absl::Status SendPacket(int socket, absl::string_view bytes, absl::Span<const int> files) {
  iovec content = {const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  PassedFiles passed;
  passed.Attach(files, message);
  while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno != EINTR) return SocketError("sendmsg");
  }
  return absl::OkStatus();
}

bool WaitToRead(int socket, absl::Duration deadline) {
  pollfd event = {socket, POLLIN, 0};
  while (true) {
    const int ready = poll(&event, 1, PollTimeout(deadline));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) return true;  // Reading will say why.
  }
}

absl::StatusOr<Packet> ReceivePacket(int socket, absl::Duration deadline) {
  Packet packet;
  packet.bytes.resize(kLargestPacket);
  iovec content = {packet.bytes.data(), packet.bytes.size()};
  PassedFiles passed;
  while (true) {
    msghdr message = {};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    passed.MakeRoom(message);
    const ssize_t count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      if (WaitToRead(socket, deadline)) continue;
      return absl::DeadlineExceededError("it does not answer");
    }
    if (count < 0) return SocketError("recvmsg");
    packet.files = PassedFiles::Take(message);
    if (count == 0) return absl::OutOfRangeError("it has closed the connection");
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
      return absl::InvalidArgumentError("a packet is too long");
    }
    packet.bytes.resize(static_cast<size_t>(count));
    return packet;
  }
}

}  // namespace firstcall
