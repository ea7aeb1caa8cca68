// The first thread waits for new lanes, for the client's end, and for time to give to the server
// what was made, for which there is a thread, too. Each lane has a thread. When the client or the
// server is gone, the process ends at once, whatever its threads do.

#include "services/server/worker.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "base/coding.h"
#include "base/packets.h"
#include "base/status.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "services/server/compile_service.h"
#include "services/server/protocol.h"
#include "services/server/seam_coding.h"
#include "services/server/server_link.h"
#include "services/server/worker_store.h"

namespace firstcall {
namespace {

// While a client starts, something is compiled every few milliseconds, unless the processors are
// busy: fifty processes that start at once keep each other waiting for 200 ms. A client that goes
// on for long need not be waited for: others want to have what there is.
constexpr absl::Duration kQuiet = absl::Milliseconds(500);
constexpr absl::Duration kLongest = absl::Seconds(2);

constexpr absl::Duration kWatchInterval = absl::Milliseconds(100);

// Gives the server what was made. One thread at a time does that, and no lane waits for it.
class Publisher {
 public:
  // All must outlive this.
  Publisher(ServerLink& server, WorkerStore& store) : server_(server), store_(store) {}

  // Whether a thread is still at it.
  bool is_busy() const { return is_busy_; }

  // Does it on a thread of its own. Must not be busy.
  void Begin() {
    Join();
    is_busy_ = true;
    thread_ = std::thread([this] {
      PublishAll();
      is_busy_ = false;
    });
  }

  // Does what is left to do, on this thread.
  void End() {
    Join();
    PublishAll();
  }

 private:
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

  void PublishAll() {
    if (!store_.has_news()) return;
    const auto ask = [&](absl::string_view signature, uint64_t last) {
      return server_.Read(signature, last);
    };
    for (const WorkerStore::News& news : store_.Take(ask)) {
      store_.NotePublished(news, server_.Publish(news.signature, news.pack));
    }
  }

  ServerLink& server_;
  WorkerStore& store_;
  std::atomic<bool> is_busy_{false};
  std::thread thread_;
};

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
  auto* const link = new ServerLink(server.number(), options.server_budget);
  auto* const publisher = new Publisher(*link, *store);
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
    const bool is_time = now - quiet_since > kQuiet || now - published > kLongest;
    if (is_time && !publisher->is_busy() && store->has_news()) {
      publisher->Begin();
      published = now;
    }
  }
  publisher->End();
}

}  // namespace firstcall
