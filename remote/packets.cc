#include "remote/packets.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/steady_clock.h"
#include "remote/protocol.h"

namespace firstcall {
namespace {

constexpr size_t kMostFiles = 2;

absl::Status Lost(absl::string_view operation) {
  return absl::UnavailableError(absl::StrCat(operation, ": ", std::strerror(errno)));
}

// Milliseconds for poll: rounded up, so that it does not return before the deadline.
int Timeout(absl::Duration deadline) {
  if (deadline == absl::InfiniteDuration()) return -1;
  const absl::Duration left = std::max(deadline - SteadyNow(), absl::ZeroDuration());
  return static_cast<int>(absl::ToInt64Milliseconds(
      absl::Ceil(std::min(left, absl::Hours(24)), absl::Milliseconds(1))));
}

// The files of a received message, closed if nobody takes them.
std::vector<File> FilesOf(const msghdr& message) {
  std::vector<File> files;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(const_cast<msghdr*>(&message), header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      files.emplace_back(file);
    }
  }
  return files;
}

}  // namespace

absl::Status SendPacket(int socket, absl::string_view bytes, const std::vector<int>& files) {
  iovec content = {const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostFiles * sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  if (!files.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), files.data(), files.size() * sizeof(int));
  }
  while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno != EINTR) return Lost("sendmsg");
  }
  return absl::OkStatus();
}

bool WaitToRead(int socket, absl::Duration deadline) {
  pollfd event = {socket, POLLIN, 0};
  while (true) {
    const int ready = poll(&event, 1, Timeout(deadline));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) return true;  // Reading will say why.
  }
}

absl::StatusOr<Packet> ReceivePacket(int socket, absl::Duration deadline) {
  Packet packet;
  packet.bytes.resize(kLargestPacket);
  iovec content = {packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostFiles * sizeof(int))];
  while (true) {
    msghdr message = {};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    const ssize_t count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      if (WaitToRead(socket, deadline)) continue;
      return absl::DeadlineExceededError("it does not answer");
    }
    if (count < 0) return Lost("recvmsg");
    packet.files = FilesOf(message);
    if (count == 0) return absl::OutOfRangeError("it has closed the connection");
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
      return absl::InvalidArgumentError("a packet is too long");
    }
    packet.bytes.resize(static_cast<size_t>(count));
    return packet;
  }
}

}  // namespace firstcall
