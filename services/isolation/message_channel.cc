#include "services/isolation/message_channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "base/file.h"
#include "base/message_stream.h"
#include "base/socket_stream.h"
#include "base/status.h"

namespace firstcall {
namespace {

// The end of the stream is that of the process.
absl::Status StatusOf(const absl::Status& transfer) {
  return absl::IsOutOfRange(transfer) ? absl::UnavailableError("the other process has ended")
                                      : transfer;
}

}  // namespace

MessageChannel::MessageChannel(int socket, int end_notice)
    : socket_(File(socket)), end_notice_(end_notice), process_(getpid()) {}

// Other processes may have copies of the socket.
MessageChannel::~MessageChannel() {
  if (getpid() == process_) shutdown(socket_.number(), SHUT_RDWR);
}

absl::Status MessageChannel::Send(uint32_t kind, absl::string_view bytes, absl::Duration deadline) {
  return StatusOf(SendMessage(socket_, kind, bytes, kLargest, {deadline, end_notice_}));
}

absl::StatusOr<Message> MessageChannel::Receive(absl::Duration deadline) {
  absl::StatusOr<StreamMessage> message =
      ReceiveMessage(socket_, kLargest, {deadline, end_notice_});
  FIRSTCALL_RETURN_IF_ERROR(StatusOf(message.status()));
  if (message->tag > UINT32_MAX) return absl::InvalidArgumentError("a message of an unknown kind");
  return Message{static_cast<uint32_t>(message->tag), std::move(message->bytes)};
}

}  // namespace firstcall
