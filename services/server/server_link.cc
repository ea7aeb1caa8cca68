#include "services/server/server_link.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/coding.h"
#include "base/file_contents.h"
#include "base/poll_timeout.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "services/server/object_pack.h"
#include "services/server/protocol.h"

namespace firstcall {
namespace {

// Beside the part's bytes, a packet has the kind of message.
constexpr size_t kPartSize = kLargestPacket - 1;

// Questions that may be waiting for their answers, for which a socket has room: on a busy machine
// the server then has more to do each time it runs.
constexpr uint64_t kQuestionsAhead = 2;

}  // namespace

absl::Status ServerLink::Send(absl::string_view packet) {
  absl::Status sent = SendPacket(socket_, packet);
  if (sent.ok()) return sent;
  // Perhaps the server has not yet read what was sent before.
  const absl::Duration deadline = SteadyNow() + budget_;
  pollfd event = {socket_, POLLOUT, 0};
  int ready = 0;
  do {
    ready = poll(&event, 1, PollTimeout(deadline));
  } while (ready < 0 && errno == EINTR);
  return ready > 0 ? SendPacket(socket_, packet) : sent;
}

absl::StatusOr<Packet> ServerLink::Receive() {
  return ReceivePacket(socket_, SteadyNow() + budget_);
}

absl::Status ServerLink::AskForPart(absl::string_view signature, uint64_t number, uint64_t offset) {
  Encoder question;
  question.U8(static_cast<uint8_t>(ServerMessage::kRead));
  question.U64(number);
  question.U64(offset);
  question.Raw(signature);
  return Send(question.bytes());
}

absl::StatusOr<std::optional<WorkerStore::ServersPack>> ServerLink::TryToRead(
    absl::string_view signature, uint64_t last) {
  FIRSTCALL_RETURN_IF_ERROR(AskForPart(signature, last, 0));
  FIRSTCALL_ASSIGN_OR_RETURN(const Packet first, Receive());
  Decoder head(first.bytes);
  const uint64_t number = head.U64();
  if (!head.ok()) return absl::InvalidArgumentError("not an answer");
  if (number == 0) return std::optional<WorkerStore::ServersPack>();
  const uint64_t size = head.U64();
  std::string bytes(head.rest());
  const uint64_t step = bytes.size();
  if (step == 0 || step > size) return absl::InvalidArgumentError("not an answer");
  bool is_same = true;
  for (uint64_t asked = step, answered = step; answered < size; answered += step) {
    for (; asked < size && asked < answered + kQuestionsAhead * step; asked += step) {
      FIRSTCALL_RETURN_IF_ERROR(AskForPart(signature, number, asked));
    }
    FIRSTCALL_ASSIGN_OR_RETURN(const Packet packet, Receive());
    Decoder decoder(packet.bytes);
    is_same = is_same && decoder.U64() == number && decoder.U64() == size &&
              decoder.rest().size() == std::min(step, size - answered);
    if (is_same) bytes.append(decoder.rest().data(), decoder.rest().size());
  }
  // Another worker has published a pack meanwhile: there will be another time to read that.
  if (!is_same) return std::optional<WorkerStore::ServersPack>();
  absl::StatusOr<ObjectPack> pack = ObjectPack::Parse(FileContents::Copy(bytes));
  // Another worker, which need not be one that does what it should, has made it.
  if (!pack.ok()) return std::optional<WorkerStore::ServersPack>();
  return std::optional<WorkerStore::ServersPack>({number, *std::move(pack)});
}

std::optional<WorkerStore::ServersPack> ServerLink::Read(absl::string_view signature,
                                                         uint64_t last) {
  if (is_broken_) return std::nullopt;
  absl::StatusOr<std::optional<WorkerStore::ServersPack>> pack = TryToRead(signature, last);
  is_broken_ = !pack.ok();
  return pack.ok() ? *std::move(pack) : std::nullopt;
}

absl::StatusOr<uint64_t> ServerLink::TryToPublish(absl::string_view signature,
                                                  absl::string_view pack) {
  Encoder offer;
  offer.U8(static_cast<uint8_t>(ServerMessage::kPublish));
  offer.U64(pack.size());
  offer.Raw(signature);
  FIRSTCALL_RETURN_IF_ERROR(Send(offer.bytes()));
  FIRSTCALL_ASSIGN_OR_RETURN(const Packet reply, Receive());
  if (reply.bytes != "\1") return 0;
  for (size_t begin = 0; begin < pack.size(); begin += kPartSize) {
    Encoder part;
    part.U8(static_cast<uint8_t>(ServerMessage::kPart));
    part.Raw(pack.substr(begin, kPartSize));
    FIRSTCALL_RETURN_IF_ERROR(Send(part.bytes()));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const Packet end, Receive());
  return Decoder(end.bytes).U64();
}

uint64_t ServerLink::Publish(absl::string_view signature, absl::string_view pack) {
  if (is_broken_) return 0;
  const absl::StatusOr<uint64_t> number = TryToPublish(signature, pack);
  is_broken_ = !number.ok();
  return number.value_or(0);
}

}  // namespace firstcall
