#include "services/server/lane.h"

#include <poll.h>

#include <utility>

#include "base/message_stream.h"
#include "base/packets.h"
#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
StreamPatience Lane::Patience() const { return {SteadyNow() + budget_}; }

absl::Status Lane::Send(LaneMessage kind, absl::string_view body, int file) {
  return SendMessage(socket_, static_cast<uint64_t>(kind), body, kLargestLaneMessage, Patience(),
                     file);
}

absl::StatusOr<Lane::Message> Lane::Receive() {
  FIRSTCALL_ASSIGN_OR_RETURN(StreamMessage message,
                             ReceiveMessage(socket_, kLargestLaneMessage, Patience()));
  if (message.tag > UINT8_MAX) return absl::InvalidArgumentError("a message of an unknown kind");
  return Message{static_cast<LaneMessage>(message.tag), std::move(message.bytes),
                 std::move(message.file)};
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
