// The object cache of a client of a compile server: what the server knows of a module, behind a
// cache of the client's own (Options::front), which is asked first.
//
// Only the server's workers add to what it knows. What is stored here goes to the front.
//
// The server is asked once for each signature. If it does not answer, or is gone, nothing is found.
//
// Thread-safe. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_REMOTE_SERVED_CACHE_H_
#define FIRSTCALL_REMOTE_SERVED_CACHE_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "cache/object_cache.h"
#include "remote/client_socket.h"
#include "remote/object_pack.h"
#include "remote/worker_session.h"

namespace firstcall {

class ServedCache final : public ObjectCache {
 public:
  // `settings` is of EncodeSettings. `front` may be null.
  ServedCache(ServerAddress server, std::string settings, std::shared_ptr<ObjectCache> front)
      : server_(std::move(server)), settings_(std::move(settings)), front_(std::move(front)) {}

  std::optional<Bytes> Find(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  bool Has(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Store(const ObjectKey& key, Bytes object) override;
  bool keeps() const override { return front_ != nullptr && front_->keeps(); }
  std::optional<std::string> FindDigest(const FileIdentity& file) override;
  void RememberDigest(const FileIdentity& file, absl::string_view digest) override;
  void Flush() override;

 private:
  // What the server knows; null if it knows nothing.
  const ObjectPack* PackOf(absl::string_view signature) ABSL_LOCKS_EXCLUDED(mutex_);
  std::unique_ptr<const ObjectPack> Ask(absl::string_view signature)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const ServerAddress server_;
  const std::string settings_;
  const std::shared_ptr<ObjectCache> front_;
  absl::Mutex mutex_;  // Held while the server is asked.
  bool is_without_server_ ABSL_GUARDED_BY(mutex_) = false;
  // By signature. Never removed, so that what was found stays mapped.
  std::map<std::string, std::unique_ptr<const ObjectPack>, std::less<>> packs_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_SERVED_CACHE_H_
