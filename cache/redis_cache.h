// A cache that machines share: a Redis server behind a cache of one's own, which is asked first and
// keeps what the server had.
//
// All objects of one signature are a Redis hash, `firstcall:1:DIGEST`, with a field for each part.
// The first miss of a signature fetches the hash in one answer if it is not large, and what is new
// goes there when the cache is flushed, so a start costs a few round trips.
//
// Each entry begins with a tag over the signature in full, the part and the object: with a key it
// is an HMAC-SHA256, so that only who has the key can have written it; without one it is a BLAKE3
// digest, and whoever can write to the server decides what runs here.
//
// The server may be slow, refuse, or go: from then on everything is a miss, with one warning, and
// the cache of one's own goes on. Nobody waits for it for longer than the budget, all in all.
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
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cache/object_cache.h"
#include "cache/redis_address.h"
#include "cache/redis_connection.h"

namespace firstcall {

class RedisCache final : public ObjectCache {
 public:
  using WarningHandler = std::function<void(absl::string_view message)>;

  struct Options {
    RedisAddress address;
    std::string key;  // Authenticates entries; empty: the server is trusted.
    // How long this process may wait for the server, all in all.
    absl::Duration budget = absl::Seconds(1);
    // When the server may forget the objects of a signature that nobody adds to.
    absl::Duration expiry = absl::Hours(24 * 7);
    std::shared_ptr<ObjectCache> front;  // May be null.
    WarningHandler warn;                 // May be empty.
  };

  // Connects when something is first asked for.
  explicit RedisCache(Options options);
  // Flushes.
  ~RedisCache() override;

  std::optional<Bytes> Find(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Store(const ObjectKey& key, absl::string_view object) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Flush() override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // What is known of one signature.
  struct Set {
    std::string name;  // Of the Redis hash.
    bool is_asked = false;
    bool is_fetched = false;                                // All the server had is in `entries`.
    absl::flat_hash_map<std::string, std::string> entries;  // By part, until they are asked for.
    std::vector<std::string> pending;  // Parts and entries in turn, to be sent.
  };

  Set& SetOf(absl::string_view signature) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Ask(Set& set) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<std::string> Fetch(Set& set, const std::string& part)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Nothing if the server is not used any more, which a failure makes it.
  std::optional<std::vector<RedisConnection::Reply>> Run(
      std::vector<RedisConnection::Command> commands) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Warn(absl::string_view reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string TagOf(const ObjectKey& key, absl::string_view object) const;

  const Options options_;
  RedisConnection connection_;
  // Held while the server is waited for: threads that need something from it take turns.
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Set> sets_ ABSL_GUARDED_BY(mutex_);
  absl::Duration left_ ABSL_GUARDED_BY(mutex_);
  bool is_lost_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_warned_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_CACHE_H_
