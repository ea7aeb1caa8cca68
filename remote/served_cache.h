// The object cache of a client of a compile server: what the server knows of a module, behind a
// cache of the client's own, the front, which is asked first.
//
// Only the server's workers add to what it knows. What is stored here goes to the front.
//
// The server is asked when the front does not have something, once for each signature, or twice: a
// client whose front has no code of the module lets the server wait for others that make the
// module's code (remote/makers), when it wants the first code. If the server does not answer, or is
// gone, nothing is found.
//
// Thread-safe. Tested in tests/remote/served_cache_test.cc and
// tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_REMOTE_SERVED_CACHE_H_
#define FIRSTCALL_REMOTE_SERVED_CACHE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cache/object_cache.h"
#include "remote/object_pack.h"
#include "remote/worker_session.h"

namespace firstcall {

class ServedCache final : public ObjectCache {
 public:
  // `settings` is of EncodeSettings. `front` may be null.
  ServedCache(ServerAddress server, std::string settings, std::shared_ptr<ObjectCache> front)
      : server_(std::move(server)), settings_(std::move(settings)), front_(std::move(front)) {}

  std::optional<Bytes> Find(const ObjectKey& key) override
      ABSL_LOCKS_EXCLUDED(asking_mutex_, mutex_);
  // Does not ask the server.
  bool Has(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Store(const ObjectKey& key, Bytes object) override;
  bool keeps() const override { return front_ != nullptr && front_->keeps(); }
  std::optional<std::string> FindDigest(const FileIdentity& file) override;
  void RememberDigest(const FileIdentity& file, absl::string_view digest) override;
  void Flush() override;

 private:
  struct Answer {
    std::shared_ptr<const ObjectPack> pack;  // Null if the server knows nothing.
    // There is none yet, or a null pack may become another one if the server is let wait.
    bool may_ask = true;
  };

  // What the server knows; null if it knows nothing.
  std::shared_ptr<const ObjectPack> PackOf(const ObjectKey& key)
      ABSL_LOCKS_EXCLUDED(asking_mutex_, mutex_);
  // What the server has said so far, to one who could wait for `patience`.
  Answer AnswerFor(absl::string_view signature, absl::Duration patience)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The front has code of this signature.
  void NoteCode(absl::string_view signature) ABSL_LOCKS_EXCLUDED(mutex_);
  std::shared_ptr<const ObjectPack> Ask(absl::string_view signature, absl::Duration patience)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(asking_mutex_);
  // How long the server may let this process wait when it asks for a part.
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

#endif  // FIRSTCALL_REMOTE_SERVED_CACHE_H_
