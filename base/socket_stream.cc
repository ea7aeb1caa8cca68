#include "base/socket_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "base/passed_files.h"
#include "base/poll_timeout.h"
#include "base/socket_error.h"
#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

constexpr size_t kStep = size_t{1} << 20;

absl::Status IsGone() { return absl::OutOfRangeError("it has closed the connection"); }

absl::Status TimeIsOver() { return absl::DeadlineExceededError("it does not answer"); }

bool IsOver(const StreamPatience& patience) {
  return patience.deadline != absl::InfiniteDuration() && SteadyNow() >= patience.deadline;
}

// The program may close the socket, and have another file under its number, while this waits for
// that: so it is asked again from time to time.
constexpr absl::Duration kLook = absl::Seconds(1);

// The time between two tries to send or receive where poll cannot wait.
constexpr absl::Duration kPause = absl::Milliseconds(1);

// After OK there is something to send or receive, or perhaps not yet.
absl::Status Wait(const KeptFile& socket, short events, const StreamPatience& patience) {
  while (true) {
    const int number = socket.number();
    if (number < 0) {
      errno = EBADF;
      return SocketError("poll");
    }
    pollfd files[] = {{number, events, 0}, {patience.end_notice, POLLIN, 0}};
    const int ready = poll(files, 2, PollTimeout(std::min(patience.deadline, SteadyNow() + kLook)));
    if (ready < 0 && errno == EINVAL) {
      // The process may have no more open files than poll was given (RLIMIT_NOFILE).
      absl::SleepFor(kPause);
      return IsOver(patience) ? TimeIsOver() : absl::OkStatus();
    }
    if (ready < 0 && errno != EINTR) return SocketError("poll");
    if (ready > 0) return files[0].revents != 0 ? absl::OkStatus() : IsGone();
    if (ready == 0 && IsOver(patience)) return TimeIsOver();
  }
}

}  // namespace

absl::Status SendStream(const KeptFile& socket, absl::Span<const absl::string_view> parts,
                        const StreamPatience& patience, int file) {
  std::vector<iovec> left;
  for (const absl::string_view part : parts) {
    if (!part.empty()) left.push_back({const_cast<char*>(part.data()), part.size()});
  }
  for (size_t first = 0; first < left.size();) {
    if (IsOver(patience)) return TimeIsOver();
    const int number = socket.number();
    msghdr message = {};
    message.msg_iov = &left[first];
    message.msg_iovlen = left.size() - first;
    PassedFiles passed;
    if (file >= 0) passed.Attach({file}, message);
    const ssize_t count = sendmsg(number, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) {
      FIRSTCALL_RETURN_IF_ERROR(Wait(socket, POLLOUT, patience));
    } else if (count < 0 && errno != EINTR) {
      return SocketError("sendmsg");
    }
    if (count <= 0) continue;
    file = -1;
    for (auto sent = static_cast<size_t>(count); sent > 0;) {
      iovec& part = left[first];
      const size_t of_part = std::min(sent, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + of_part;
      part.iov_len -= of_part;
      sent -= of_part;
      if (part.iov_len == 0) ++first;
    }
  }
  return absl::OkStatus();
}

absl::Status ReceiveStream(const KeptFile& socket, char* to, size_t size,
                           const StreamPatience& patience, File* file) {
  while (size > 0) {
    if (IsOver(patience)) return TimeIsOver();
    const int number = socket.number();
    iovec content = {to, size};
    msghdr message = {};
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    PassedFiles passed;
    if (file != nullptr) passed.MakeRoom(message);
    const ssize_t count = recvmsg(number, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count == 0) return IsGone();
    if (count < 0 && errno == EAGAIN) {
      FIRSTCALL_RETURN_IF_ERROR(Wait(socket, POLLIN, patience));
    } else if (count < 0 && errno != EINTR) {
      return SocketError("recvmsg");
    }
    if (count <= 0) continue;
    std::vector<File> files = PassedFiles::Take(message);
    if (!files.empty() && file != nullptr) *file = std::move(files.front());
    to += count;
    size -= static_cast<size_t>(count);
  }
  return absl::OkStatus();
}

absl::Status ReceiveStream(const KeptFile& socket, std::string& bytes, size_t size,
                           const StreamPatience& patience, File* file) {
  while (size > 0) {
    const size_t step = std::min(size, kStep);
    const size_t begin = bytes.size();
    bytes.resize(begin + step);
    FIRSTCALL_RETURN_IF_ERROR(ReceiveStream(socket, bytes.data() + begin, step, patience, file));
    size -= step;
  }
  return absl::OkStatus();
}

}  // namespace firstcall
