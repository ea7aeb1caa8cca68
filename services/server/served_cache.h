// The object cache of a client of a compile server. It looks in two places: first in the front,
// which is a cache of the client's own, and then in the packs of the server.
//
// Stored objects go to the front. Only the server's workers add to the server's packs.
//
// If the front does not have an object, the server is asked, once or twice for each signature. If
// the front has no code of the module, the server may wait, when the first code is looked for,
// until other clients have made the module's code (services/server/makers). If the server does not
// answer, or is gone, nothing is found in its packs.
//
// Thread-safe. Tested in tests/services/server/served_cache_test.cc and
// tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_SERVED_CACHE_H_
#define FIRSTCALL_SERVICES_SERVER_SERVED_CACHE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "cache/object_cache.h"
#include "services/server/object_pack.h"
#include "services/server/worker_session.h"

namespace firstcall {

class ServedCache final : public ObjectCache {
 public:
  // `settings` is the result of EncodeSettings. `front` may be null.
  ServedCache(ServerAddress server, std::string settings, std::shared_ptr<ObjectCache> front)
      : server_(std::move(server)), settings_(std::move(settings)), front_(std::move(front)) {}

  std::optional<Bytes> Find(const ObjectKey& key) override
      ABSL_LOCKS_EXCLUDED(asking_mutex_, mutex_);
  // Tells the front. This server is asked for one module at a time: it is on the same machine.
  void Expect(absl::Span<const ObjectKey> keys) override;
  // Does not ask the server, but looks in the pack that it has sent.
  bool Has(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Store(const ObjectKey& key, Bytes object) override;
  bool keeps() const override { return front_ != nullptr && front_->keeps(); }
  std::optional<std::string> FindDigest(const FileIdentity& file) override;
  void RememberDigest(const FileIdentity& file, absl::string_view digest) override;
  void Flush() override;

 private:
  struct Answer {
    std::shared_ptr<const ObjectPack> pack;  // Null if the server has none.
    // Whether the server may be asked: it was not asked yet, or it had no pack and was not allowed
    // to wait.
    bool may_ask = true;
  };

  // The server's pack; null if it has none. May ask the server, and block until it has answered.
  std::shared_ptr<const ObjectPack> PackOf(const ObjectKey& key)
      ABSL_LOCKS_EXCLUDED(asking_mutex_, mutex_);
  // The server's answer so far, for a caller that can wait for `patience`.
  Answer AnswerFor(absl::string_view signature, absl::Duration patience)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Notes that the front has code of this signature.
  void NoteCode(absl::string_view signature) ABSL_LOCKS_EXCLUDED(mutex_);
  std::shared_ptr<const ObjectPack> Ask(absl::string_view signature, absl::Duration patience)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(asking_mutex_);
  // How long the server may delay its answer when this process asks for the part.
  absl::Duration PatienceFor(const ObjectKey& key) ABSL_LOCKS_EXCLUDED(mutex_);

  const ServerAddress server_;
  const std::string settings_;
  const std::shared_ptr<ObjectCache> front_;
  absl::Mutex asking_mutex_;  // Held while the server is asked.
  bool is_without_server_ ABSL_GUARDED_BY(asking_mutex_) = false;
  absl::Mutex mutex_ ABSL_ACQUIRED_AFTER(asking_mutex_);
  // By signature.
  absl::flat_hash_map<std::string, Answer> answers_ ABSL_GUARDED_BY(mutex_);
  // The signatures of which the front has had code.
  absl::flat_hash_set<std::string> with_code_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_SERVED_CACHE_H_
