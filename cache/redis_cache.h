// A cache that machines share: a Redis server behind a local cache (Options::front). The local
// cache is asked first, and keeps the objects that come from the server.
//
// All objects of one signature are a Redis hash, `firstcall:1:DIGEST`, with a field for each part.
// On the first miss of a signature, the whole hash is fetched with one answer if it is not large.
// Of a large one the names of the fields are fetched, so that what is not there costs no round
// trip. New objects are sent when the cache is flushed. So a start costs only a few round trips.
//
// Each entry begins with a tag over the complete signature, the part and the object. With a key,
// the tag is an HMAC-SHA256, so only a process that has the key can have written the entry. Without
// a key, it is a BLAKE3 digest, and everyone who can write to the server decides what runs here.
//
// If the server is slow, refuses or disappears, it is not used any more, with one warning; the
// local cache continues to work. All waiting for the server together takes no longer than the
// budget.
//
// Thread-safe.

#ifndef FIRSTCALL_CACHE_REDIS_CACHE_H_
#define FIRSTCALL_CACHE_REDIS_CACHE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cache/object_cache.h"
#include "cache/redis_address.h"
#include "cache/redis_connection.h"

namespace firstcall {

class RedisCache final : public ObjectCache {
 public:
  // Called once. May use the cache.
  using WarningHandler = std::function<void(absl::string_view message)>;

  struct Options {
    RedisAddress address;
    std::string key;  // Authenticates entries; empty: the server is trusted.
    // How long this process may wait for the server, in total.
    absl::Duration budget = absl::Seconds(1);
    // The server may drop all objects of a signature when none was added to them for this time.
    absl::Duration expiry = absl::Hours(24 * 7);
    std::shared_ptr<ObjectCache> front;  // The local cache; may be null.
    WarningHandler warn;                 // May be empty.
  };

  // Connects when the server is first needed.
  explicit RedisCache(Options options);
  // Flushes.
  ~RedisCache() override;

  std::optional<Bytes> Find(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  // Does not ask the server again.
  bool Has(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Store(const ObjectKey& key, Bytes object) override ABSL_LOCKS_EXCLUDED(mutex_);
  // Those of the local cache: files are a matter of one machine.
  std::optional<std::string> FindDigest(const FileIdentity& file) override;
  void RememberDigest(const FileIdentity& file, absl::string_view digest) override;
  void Flush() override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The state of one signature.
  struct Set {
    std::string name;  // Of the Redis hash.
    bool is_asked = false;
    bool is_fetched = false;  // Whether everything that the server had was put into `entries`.
    // By part. If there is a front, until they are asked for.
    absl::flat_hash_map<std::string, std::string> entries;
    // If not everything was fetched: the parts that the server had, unless is_asked alone is set.
    std::optional<absl::flat_hash_set<std::string>> parts;
    std::vector<std::string> pending;  // To be sent: alternately a part and its entry.
  };

  Set& SetOf(absl::string_view signature) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Ask(Set& set) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<std::string> Fetch(Set& set, const std::string& part)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Nothing if the server is not used any more. The first failure has this effect.
  std::optional<std::vector<RedisConnection::Reply>> Run(
      std::vector<RedisConnection::Command> commands) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Send() ABSL_LOCKS_EXCLUDED(mutex_);
  // For Warn, which calls the handler.
  void NoteWarning(absl::string_view reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Warn() ABSL_LOCKS_EXCLUDED(mutex_);
  std::string TagOf(const ObjectKey& key, absl::string_view object) const;

  const Options options_;
  RedisConnection connection_;
  // Held while waiting for the server: threads that need something from it take turns.
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Set> sets_ ABSL_GUARDED_BY(mutex_);
  absl::Duration left_ ABSL_GUARDED_BY(mutex_);
  bool is_lost_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_warned_ ABSL_GUARDED_BY(mutex_) = false;
  std::string warning_ ABSL_GUARDED_BY(mutex_);  // For the handler; empty if there is none.
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_CACHE_H_
