// A worker's connection to its compile server, over which it reads and publishes packs of objects
// (remote/object_pack). Packs are copied, part by part: the server and its workers share no memory,
// so a worker can neither change what the server has, nor keep memory that the server has given up.
//
// Thread-compatible. Tested in tests/remote/server_link_test.cc.

#ifndef FIRSTCALL_REMOTE_SERVER_LINK_H_
#define FIRSTCALL_REMOTE_SERVER_LINK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/packets.h"
#include "remote/worker_store.h"

namespace firstcall {

class ServerLink {
 public:
  // `socket` must stay open. The server may take `budget` for each answer.
  ServerLink(int socket, absl::Duration budget) : socket_(socket), budget_(budget) {}

  // The pack that the server has for a signature. Nothing if it has none, or the one of the number
  // `last`, or if it does not answer.
  std::optional<WorkerStore::ServersPack> Read(absl::string_view signature, uint64_t last);

  // Gives a pack to the server. Returns its number; zero if the server does not keep it, or does
  // not answer.
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
  // After an error: what comes then may be the answer to an earlier question.
  bool is_broken_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_SERVER_LINK_H_
