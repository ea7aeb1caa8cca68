// A worker's connection to its compile server, over which it reads and publishes packs of objects
// (services/server/object_pack). Packs are copied, part by part: the server and its workers share
// no memory, so a worker can neither change the server's packs, nor keep memory that the server has
// freed.
//
// Thread-compatible. Tested in tests/services/server/server_link_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_SERVER_LINK_H_
#define FIRSTCALL_SERVICES_SERVER_SERVER_LINK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/packets.h"
#include "services/server/worker_store.h"

namespace firstcall {

class ServerLink {
 public:
  // `socket` must stay open as long as this object. Each answer of the server may take `budget`.
  ServerLink(int socket, absl::Duration budget) : socket_(socket), budget_(budget) {}

  // Returns the server's pack for a signature. Nothing if the server has none, if its pack has the
  // number `last`, or if the server does not answer. Blocks until the answer has come.
  std::optional<WorkerStore::ServersPack> Read(absl::string_view signature, uint64_t last);

  // Sends a pack to the server. Returns the pack's number; zero if the server does not keep the
  // pack, or does not answer. Blocks until the answer has come.
  uint64_t Publish(absl::string_view signature, absl::string_view pack);

 private:
  absl::Status Send(absl::string_view packet);
  absl::StatusOr<Packet> Receive();
  absl::Status AskForPart(absl::string_view signature, uint64_t number, uint64_t offset);
  absl::StatusOr<std::optional<WorkerStore::ServersPack>> TryToRead(absl::string_view signature,
                                                                    uint64_t last);
  absl::StatusOr<uint64_t> TryToPublish(absl::string_view signature, absl::string_view pack);

  const int socket_;
  const absl::Duration budget_;
  // Set after an error: the next packet may be the answer to an earlier question.
  bool is_broken_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_SERVER_LINK_H_
