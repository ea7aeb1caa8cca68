#include "services/server/lane.h"

#include <poll.h>

#include <cstddef>
#include <cstdint>

#include "base/packets.h"
#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

// A byte for the kind, four for the size.
constexpr size_t kHeaderSize = 5;

}  // namespace

StreamPatience Lane::Patience() const { return {SteadyNow() + budget_}; }

absl::Status Lane::Send(LaneMessage kind, absl::string_view body, int file) {
  char header[kHeaderSize] = {static_cast<char>(kind)};
  for (size_t i = 0; i < 4; ++i) header[i + 1] = static_cast<char>(body.size() >> (8 * i));
  return SendStream(socket_, {absl::string_view(header, kHeaderSize), body}, Patience(), file);
}

absl::StatusOr<Lane::Message> Lane::Receive() {
  const StreamPatience patience = Patience();
  char header[kHeaderSize];
  Message message;
  FIRSTCALL_RETURN_IF_ERROR(ReceiveStream(socket_, header, kHeaderSize, patience, &message.file));
  message.kind = static_cast<LaneMessage>(header[0]);
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) {
    size |= static_cast<size_t>(static_cast<uint8_t>(header[i + 1])) << (8 * i);
  }
  if (size > kLargestLaneMessage) return absl::InvalidArgumentError("a message is too long");
  FIRSTCALL_RETURN_IF_ERROR(ReceiveStream(socket_, message.body, size, patience, &message.file));
  return message;
}

bool Lane::WaitToReceive(absl::Duration time) const {
  const int number = socket_.number();
  return number < 0 || WaitToRead(number, SteadyNow() + time);
}

bool Lane::IsClosed() const {
  pollfd event = {socket_.number(), POLLRDHUP, 0};
  return event.fd < 0 || poll(&event, 1, 0) > 0;
}

}  // namespace firstcall
