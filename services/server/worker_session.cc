#include "services/server/worker_session.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "base/packets.h"
#include "base/status.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "base/version.h"
#include "services/server/protocol.h"
#include "services/server/seam_coding.h"

namespace firstcall {
namespace {

struct Greeted {
  std::unique_ptr<ClientSocket> socket;
  std::unique_ptr<ClientSocket> modules;
  std::string identity;
};

struct FirstAnswer {
  std::unique_ptr<ClientSocket> socket;
  std::unique_ptr<ClientSocket> modules;
  absl::StatusOr<Packet> packet;
};

std::string Describe(const ServerAddress& server) {
  return absl::StrCat("the compile server '", server.path, "'");
}

absl::StatusOr<FirstAnswer> SendGreeting(const ServerAddress& server, absl::string_view greeting) {
  const absl::Duration deadline = SteadyNow() + server.budget;
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ClientSocket> socket,
                             ClientSocket::Connect(server.path, deadline));
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::UnavailableError(
        absl::StrCat(Describe(server), ": socketpair: ", std::strerror(errno)));
  }
  auto modules = std::make_unique<ClientSocket>(File(ends[0]));
  const File others(ends[1]);
  FIRSTCALL_RETURN_IF_ERROR(
      Annotate(SendPacket(socket->number(), greeting, {others.number()}), Describe(server)));
  absl::StatusOr<Packet> packet = ReceivePacket(socket->number(), deadline);
  return FirstAnswer{std::move(socket), std::move(modules), std::move(packet)};
}

absl::StatusOr<Greeted> Greet(const ServerAddress& server, ServerMessage kind,
                              absl::string_view settings) {
  Encoder greeting;
  greeting.U8(static_cast<uint8_t>(kind));
  greeting.U32(kRemoteProtocol);
  greeting.String(Version());
  greeting.String(server.identity);
  greeting.String(server.client);
  greeting.Raw(settings);
  const std::string where = Describe(server);
  if (greeting.bytes().size() > kLargestPacket) {
    return absl::InvalidArgumentError(absl::StrCat(where, ": the settings are too long"));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(FirstAnswer answer, SendGreeting(server, greeting.bytes()));
  // The worker has ended before it answered: another one is asked, as after any other request.
  if (absl::IsOutOfRange(answer.packet.status())) {
    FIRSTCALL_ASSIGN_OR_RETURN(answer, SendGreeting(server, greeting.bytes()));
  }
  if (!answer.packet.ok()) {
    const absl::StatusCode code = absl::IsDeadlineExceeded(answer.packet.status())
                                      ? absl::StatusCode::kDeadlineExceeded
                                      : absl::StatusCode::kUnavailable;
    return absl::Status(code, absl::StrCat(where, ": ", answer.packet.status().message()));
  }
  Decoder decoder(answer.packet->bytes);
  FIRSTCALL_RETURN_IF_ERROR(Annotate(DecodeStatus(decoder), where));
  return Greeted{std::move(answer.socket), std::move(answer.modules),
                 std::string(decoder.String())};
}

}  // namespace

std::string NewClientName() {
  std::string name(kClientNameSize, '\0');
  if (getrandom(name.data(), name.size(), 0) == static_cast<ssize_t>(name.size())) return name;
  // The system cannot do that. Then clients in different containers may have the same name.
  static std::atomic<uint32_t> next{0};
  Encoder encoder;
  encoder.U32(static_cast<uint32_t>(getpid()));
  encoder.U32(next++);
  encoder.U64(static_cast<uint64_t>(absl::ToInt64Nanoseconds(SteadyNow())));
  return std::move(encoder).Take();
}

absl::StatusOr<std::string> AskIdentity(const ServerAddress& server) {
  FIRSTCALL_ASSIGN_OR_RETURN(Greeted greeted, Greet(server, ServerMessage::kIdentify, ""));
  return std::move(greeted.identity);
}

absl::StatusOr<std::shared_ptr<WorkerSession>> WorkerSession::Begin(const ServerAddress& server,
                                                                    absl::string_view settings) {
  FIRSTCALL_ASSIGN_OR_RETURN(Greeted greeted, Greet(server, ServerMessage::kCompile, settings));
  return std::shared_ptr<WorkerSession>(
      new WorkerSession(std::move(greeted.socket), std::move(greeted.modules), server.budget));
}

void WorkerSession::NoteModule(absl::string_view digest) {
  Encoder note;
  note.U8(static_cast<uint8_t>(ServerMessage::kHasModule));
  note.Raw(digest);
  (void)SendPacket(modules_->number(), note.bytes());
}

absl::StatusOr<WorkerSession::ClientLane> WorkerSession::TakeLane() {
  {
    absl::MutexLock lock(&mutex_);
    if (!idle_.empty()) {
      ClientLane lane = std::move(idle_.back());
      idle_.pop_back();
      return lane;
    }
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::UnavailableError(absl::StrCat("socketpair: ", std::strerror(errno)));
  }
  const File others(ends[1]);
  ClientLane lane;
  lane.socket = std::make_unique<ClientSocket>(File(ends[0]));
  lane.lane = std::make_unique<Lane>(lane.socket->file(), budget_);
  const char message = static_cast<char>(ServerMessage::kLane);
  FIRSTCALL_RETURN_IF_ERROR(SendPacket(control_->number(), {&message, 1}, {others.number()}));
  return lane;
}

void WorkerSession::ReturnLane(ClientLane lane) {
  absl::MutexLock lock(&mutex_);
  idle_.push_back(std::move(lane));
}

}  // namespace firstcall
