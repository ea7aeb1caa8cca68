// The first thread waits for new lanes, for the client's end, and for time to give to the server
// what was made. Each lane has a thread. When the client or the server is gone, the process ends at
// once, whatever its threads do.

#include "remote/worker.h"

#include <poll.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "base/coding.h"
#include "base/packets.h"
#include "base/status.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "remote/compile_service.h"
#include "remote/protocol.h"
#include "remote/sealed_bytes.h"
#include "remote/seam_coding.h"
#include "remote/worker_store.h"

namespace firstcall {
namespace {

// While a client starts, something is compiled every few milliseconds, unless the processors are
// busy: fifty processes that start at once keep each other waiting for 200 ms. A client that goes
// on for long need not be waited for: others want to have what there is.
constexpr absl::Duration kQuiet = absl::Milliseconds(500);
constexpr absl::Duration kLongest = absl::Seconds(2);

constexpr absl::Duration kWatchInterval = absl::Milliseconds(100);

constexpr absl::Duration kServersBudget = absl::Seconds(5);

// Asks the server what it has for a signature.
std::unique_ptr<ObjectPack> AskServer(int server, absl::string_view signature) {
  Encoder question;
  question.U8(static_cast<uint8_t>(ServerMessage::kFind));
  question.Raw(signature);
  if (!SendPacket(server, question.bytes()).ok()) return nullptr;
  absl::StatusOr<Packet> answer = ReceivePacket(server, SteadyNow() + kServersBudget);
  if (!answer.ok() || answer->files.size() != 1) return nullptr;
  absl::StatusOr<ObjectPack> pack = ObjectPack::Read(answer->files[0]);
  return pack.ok() ? std::make_unique<ObjectPack>(*std::move(pack)) : nullptr;
}

void Publish(int server, WorkerStore& store, const CompileService& service) {
  const auto known = [&](absl::string_view signature) { return AskServer(server, signature); };
  for (const WorkerStore::News& news : store.Take(known)) {
    const File module = service.FileOf(news.module);
    const absl::StatusOr<File> pack = SealBytes(news.pack);
    if (!module.is_open() || !pack.ok()) continue;
    Encoder message;
    message.U8(static_cast<uint8_t>(ServerMessage::kPublish));
    message.Raw(news.signature);
    // If the server does not read, it does without.
    (void)SendPacket(server, message.bytes(), {module.number(), pack->number()});
  }
}

absl::StatusOr<std::unique_ptr<Compiler>> MakeCompiler(absl::string_view settings,
                                                       const WorkerOptions& options) {
  if (options.ready != nullptr && settings == options.ready_for) {
    return std::unique_ptr<Compiler>();
  }
  FIRSTCALL_ASSIGN_OR_RETURN(CompilerSettings decoded, DecodeSettings(settings));
  return options.make(decoded);
}

}  // namespace

void RunWorker(File server, const WorkerOptions& options) {
  absl::StatusOr<Packet> assignment = ReceivePacket(server.number(), absl::InfiniteDuration());
  if (!assignment.ok() || assignment->files.size() != 1) return;
  const File client = std::move(assignment->files[0]);
  const absl::StatusOr<std::unique_ptr<Compiler>> made = MakeCompiler(assignment->bytes, options);
  Encoder answer;
  EncodeStatus(made.status(), answer);
  if (made.ok()) answer.String(options.identity);
  if (!SendPacket(client.number(), answer.bytes()).ok() || !made.ok()) return;
  // Never destroyed: threads may use them until the process has ended.
  auto* const store = new WorkerStore;
  auto* const service = new CompileService(*made != nullptr ? **made : *options.ready, *store);
  absl::Duration quiet_since = SteadyNow(), published = SteadyNow();
  while (true) {
    pollfd events[] = {{client.number(), POLLIN, 0}, {server.number(), POLLRDHUP, 0}};
    const int ready = poll(events, 2, static_cast<int>(absl::ToInt64Milliseconds(kWatchInterval)));
    if (events[1].revents != 0) return;
    if (ready > 0 && events[0].revents != 0) {
      absl::StatusOr<Packet> packet = ReceivePacket(client.number(), absl::ZeroDuration());
      if (absl::IsDeadlineExceeded(packet.status())) continue;
      if (!packet.ok()) break;
      const bool is_lane = packet->files.size() == 1 && packet->bytes.size() == 1 &&
                           packet->bytes[0] == static_cast<char>(ServerMessage::kLane);
      if (!is_lane) break;
      std::thread([service, lane = packet->files[0].Release()] {
        service->Serve(File(lane));
      }).detach();
    }
    const absl::Duration longest = service->longest_request();
    if (longest > options.request_time) return;
    if (longest > absl::ZeroDuration()) quiet_since = SteadyNow();
    const absl::Duration now = SteadyNow();
    if ((now - quiet_since > kQuiet || now - published > kLongest) && store->has_news()) {
      Publish(server.number(), *store, *service);
      published = now;
    }
  }
  if (store->has_news()) Publish(server.number(), *store, *service);
}

}  // namespace firstcall
