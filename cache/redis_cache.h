// A cache that machines share by a Redis server, behind a local cache. See cache/shared_cache.h for
// tags, budget and what happens if the server fails.
//
// All objects of one signature are a Redis hash, `firstcall:2:DIGEST`, with a field for each part.
// On the first miss of a signature, the whole hash is fetched with one answer if it is not large.
// Of a large one the names of the fields are fetched, so that what is not there costs no round
// trip. New objects are sent when the cache is flushed. So a start costs only a few round trips.
//
// Thread-safe.

#ifndef FIRSTCALL_CACHE_REDIS_CACHE_H_
#define FIRSTCALL_CACHE_REDIS_CACHE_H_

#include "absl/time/time.h"
#include "cache/redis_address.h"
#include "cache/shared_cache.h"

namespace firstcall {

class RedisCache final : public SharedCache {
 public:
  struct Options : SharedCacheOptions {
    RedisAddress address;
    // The server may drop all objects of a signature when none was added to them for this time.
    absl::Duration expiry = absl::Hours(24 * 7);
  };

  // Connects when the server is first needed.
  explicit RedisCache(const Options& options);
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_CACHE_H_
