#include "isolation/message_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "base/poll_timeout.h"
#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

constexpr size_t kHeader = 2 * sizeof(uint32_t);
// A message's memory grows as its bytes arrive, because a damaged length must not take memory.
constexpr size_t kPiece = size_t{1} << 20;

absl::Status Closed() { return absl::UnavailableError("the other process has ended"); }

absl::Status SystemError() { return absl::UnavailableError(std::strerror(errno)); }

absl::Status TimeIsOver() { return absl::DeadlineExceededError("the time is over"); }

bool IsOver(absl::Duration deadline) {
  return deadline != absl::InfiniteDuration() && SteadyNow() >= deadline;
}

bool MustWait() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

MessageChannel::MessageChannel(int socket, int end_notice)
    : socket_(socket), end_notice_(end_notice), process_(getpid()) {}

// Other processes may have copies of the socket.
MessageChannel::~MessageChannel() {
  if (getpid() == process_) shutdown(socket_, SHUT_RDWR);
  close(socket_);
}

absl::Status MessageChannel::Wait(short events, absl::Duration deadline) const {
  while (true) {
    pollfd files[] = {{socket_, events, 0}, {end_notice_, POLLIN, 0}};
    const int ready = poll(files, 2, PollTimeout(deadline));
    if (ready < 0 && errno != EINTR) return SystemError();
    if (ready > 0) return files[0].revents != 0 ? absl::OkStatus() : Closed();
    if (ready == 0) return TimeIsOver();
  }
}

absl::Status MessageChannel::Read(char* bytes, size_t size, absl::Duration deadline) const {
  while (size > 0) {
    if (IsOver(deadline)) return TimeIsOver();
    const ssize_t count = recv(socket_, bytes, size, MSG_DONTWAIT);
    if (count == 0) return Closed();
    if (count > 0) {
      bytes += count;
      size -= static_cast<size_t>(count);
    } else if (MustWait()) {
      FIRSTCALL_RETURN_IF_ERROR(Wait(POLLIN, deadline));
    } else if (errno != EINTR) {
      return SystemError();
    }
  }
  return absl::OkStatus();
}

absl::Status MessageChannel::Write(absl::string_view bytes, absl::Duration deadline) const {
  while (!bytes.empty()) {
    if (IsOver(deadline)) return TimeIsOver();
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (MustWait()) {
      FIRSTCALL_RETURN_IF_ERROR(Wait(POLLOUT, deadline));
    } else if (errno != EINTR) {
      return SystemError();
    }
  }
  return absl::OkStatus();
}

absl::Status MessageChannel::Send(uint32_t kind, absl::string_view bytes, absl::Duration deadline) {
  if (bytes.size() > kLargest) {
    return absl::InvalidArgumentError(absl::StrCat("a message of ", bytes.size(), " bytes"));
  }
  Encoder header;
  header.U32(kind);
  header.U32(static_cast<uint32_t>(bytes.size()));
  FIRSTCALL_RETURN_IF_ERROR(Write(header.bytes(), deadline));
  return Write(bytes, deadline);
}

absl::StatusOr<Message> MessageChannel::Receive(absl::Duration deadline) {
  char header[kHeader];
  FIRSTCALL_RETURN_IF_ERROR(Read(header, kHeader, deadline));
  Decoder decoder(absl::string_view(header, kHeader));
  Message message;
  message.kind = decoder.U32();
  const size_t size = decoder.U32();
  if (size > kLargest) {
    return absl::InvalidArgumentError(absl::StrCat("a message of ", size, " bytes"));
  }
  while (message.bytes.size() < size) {
    const size_t done = message.bytes.size();
    message.bytes.resize(std::min(size, done + kPiece));
    FIRSTCALL_RETURN_IF_ERROR(
        Read(message.bytes.data() + done, message.bytes.size() - done, deadline));
  }
  return message;
}

}  // namespace firstcall
