// Messages between two processes over a stream socket: a kind, and bytes. The other process may
// have ended, hang, or send anything: each wait has an end, and what arrives is checked.
//
// One thread at a time may send, and one may receive. Tested in
// tests/services/isolation/message_channel_test.cc.

#ifndef FIRSTCALL_SERVICES_ISOLATION_MESSAGE_CHANNEL_H_
#define FIRSTCALL_SERVICES_ISOLATION_MESSAGE_CHANNEL_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/kept_file.h"

namespace firstcall {

struct Message {
  uint32_t kind = 0;
  std::string bytes;
};

class MessageChannel {
 public:
  // In bytes.
  static constexpr size_t kLargest = size_t{64} << 20;

  // Takes over a stream socket, and shuts it down in the end, but not if it is destroyed in a copy
  // of this process, which was forked: the channel is this process's. `end_notice` is a file that
  // becomes readable when the other process has ended; -1 if there is none. (Whether the socket's
  // other end is closed does not tell: processes that the other one has started may have it, too.)
  explicit MessageChannel(int socket, int end_notice = -1);
  ~MessageChannel();
  MessageChannel(const MessageChannel&) = delete;
  MessageChannel& operator=(const MessageChannel&) = delete;

  // Both wait until `deadline` (base/steady_clock.h): DeadlineExceeded after that, even if they
  // need not wait; otherwise an endless stream of messages would have no end. Unavailable if the
  // other side has closed the channel or has ended; what it sent before arrives first.
  // InvalidArgument if a message is longer than kLargest. After an error the channel cannot be used
  // any more.
  absl::Status Send(uint32_t kind, absl::string_view bytes, absl::Duration deadline);
  absl::StatusOr<Message> Receive(absl::Duration deadline);

 private:
  const KeptFile socket_;
  const int end_notice_;
  const pid_t process_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_ISOLATION_MESSAGE_CHANNEL_H_
