#include "remote/lane.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/packets.h"
#include "base/passed_files.h"
#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

// A byte for the kind, four for the size.
constexpr size_t kHeaderSize = 5;

// Memory is allocated in such steps as bytes arrive, whatever size the header claims.
constexpr size_t kStep = size_t{1} << 20;

absl::Status Lost(absl::string_view operation) {
  if (errno == EAGAIN) return absl::DeadlineExceededError("it does not answer");
  return absl::UnavailableError(absl::StrCat(operation, ": ", std::strerror(errno)));
}

}  // namespace

Lane::Lane(int socket, absl::Duration budget) : socket_(socket), budget_(budget) {
  if (budget == absl::InfiniteDuration()) return;
  const timeval time = absl::ToTimeval(std::max(budget, absl::Milliseconds(1)));
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

absl::Status Lane::Send(LaneMessage kind, absl::string_view body, int file) {
  const absl::Duration deadline = SteadyNow() + budget_;
  char header[kHeaderSize] = {static_cast<char>(kind)};
  for (size_t i = 0; i < 4; ++i) header[i + 1] = static_cast<char>(body.size() >> (8 * i));
  iovec parts[2] = {{header, kHeaderSize}, {const_cast<char*>(body.data()), body.size()}};
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  PassedFiles passed;
  if (file >= 0) passed.Attach({file}, message);
  size_t left = kHeaderSize + body.size();
  while (true) {
    const ssize_t count = sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (count < 0 && (errno != EINTR || SteadyNow() > deadline)) return Lost("sendmsg");
    if (count < 0) continue;
    left -= static_cast<size_t>(count);
    if (left == 0) return absl::OkStatus();
    if (SteadyNow() > deadline) return absl::DeadlineExceededError("it does not read");
    message.msg_control = nullptr;  // The file was sent with the first byte.
    message.msg_controllen = 0;
    size_t sent = static_cast<size_t>(count);
    for (iovec& part : parts) {
      const size_t of_part = std::min(sent, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + of_part;
      part.iov_len -= of_part;
      sent -= of_part;
    }
  }
}

absl::Status Lane::ReceiveBytes(char* to, size_t size, absl::Duration deadline, File* file) {
  while (size > 0) {
    iovec content = {to, size};
    msghdr message = {};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    PassedFiles passed;
    passed.MakeRoom(message);
    const ssize_t count = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
    if (count == 0) return absl::OutOfRangeError("it has closed the connection");
    if (count < 0 && (errno != EINTR || SteadyNow() > deadline)) return Lost("recvmsg");
    if (count < 0) continue;
    std::vector<File> files = PassedFiles::Take(message);
    if (!files.empty()) *file = std::move(files.front());
    to += count;
    size -= static_cast<size_t>(count);
    if (size > 0 && SteadyNow() > deadline) return absl::DeadlineExceededError("it is too slow");
  }
  return absl::OkStatus();
}

absl::StatusOr<Lane::Message> Lane::Receive() {
  const absl::Duration deadline = SteadyNow() + budget_;
  char header[kHeaderSize];
  Message message;
  FIRSTCALL_RETURN_IF_ERROR(ReceiveBytes(header, kHeaderSize, deadline, &message.file));
  message.kind = static_cast<LaneMessage>(header[0]);
  size_t left = 0;
  for (size_t i = 0; i < 4; ++i) {
    left |= static_cast<size_t>(static_cast<uint8_t>(header[i + 1])) << (8 * i);
  }
  if (left > kLargestLaneMessage) return absl::InvalidArgumentError("a message is too long");
  while (left > 0) {
    const size_t step = std::min(left, kStep);
    const size_t begin = message.body.size();
    message.body.resize(begin + step);
    FIRSTCALL_RETURN_IF_ERROR(
        ReceiveBytes(message.body.data() + begin, step, deadline, &message.file));
    left -= step;
  }
  return message;
}

bool Lane::WaitToReceive(absl::Duration time) const {
  return WaitToRead(socket_, SteadyNow() + time);
}

bool Lane::IsClosed() const {
  pollfd event = {socket_, POLLRDHUP, 0};
  return poll(&event, 1, 0) > 0;
}

}  // namespace firstcall
