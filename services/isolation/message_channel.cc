#include "services/isolation/message_channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "base/file.h"
#include "base/socket_stream.h"
#include "base/status.h"

namespace firstcall {
namespace {

constexpr size_t kHeader = 2 * sizeof(uint32_t);

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
  if (bytes.size() > kLargest) {
    return absl::InvalidArgumentError(absl::StrCat("a message of ", bytes.size(), " bytes"));
  }
  Encoder header;
  header.U32(kind);
  header.U32(static_cast<uint32_t>(bytes.size()));
  return StatusOf(SendStream(socket_, {header.bytes(), bytes}, {deadline, end_notice_}));
}

absl::StatusOr<Message> MessageChannel::Receive(absl::Duration deadline) {
  const StreamPatience patience = {deadline, end_notice_};
  char header[kHeader];
  FIRSTCALL_RETURN_IF_ERROR(StatusOf(ReceiveStream(socket_, header, kHeader, patience)));
  Decoder decoder(absl::string_view(header, kHeader));
  Message message;
  message.kind = decoder.U32();
  const size_t size = decoder.U32();
  if (size > kLargest) {
    return absl::InvalidArgumentError(absl::StrCat("a message of ", size, " bytes"));
  }
  FIRSTCALL_RETURN_IF_ERROR(StatusOf(ReceiveStream(socket_, message.bytes, size, patience)));
  return message;
}

}  // namespace firstcall
