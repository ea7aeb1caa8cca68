// A cache that machines share by a Redis server, or a Redis Cluster, behind a local cache. See
// cache/shared_cache.h for tags, budget and what happens if the server fails.
//
// The list and the packs of a signature (cache/shared_packs.h) are two keys, which a cluster keeps
// on the same server:
//
//   firstcall:3:{NAME}         a hash with two fields: "list", and "start", the start pack.
//                              NAME is made from the signature, as for HTTP.
//   firstcall:3:{NAME}:DIGEST  the second pack
//
// What a start needs is one hash, so a start that finds nothing in the local cache takes one
// command (HMGET). When the cache is flushed, new entries are merged with those that the server
// has. A script replaces list and packs at once, if the list is still the one that was merged;
// otherwise the merge is repeated.
//
// OpenSSL is loaded when a server with TLS is first asked.
//
// Thread-safe.

#ifndef FIRSTCALL_CACHE_REDIS_CACHE_H_
#define FIRSTCALL_CACHE_REDIS_CACHE_H_

#include <cstddef>

#include "absl/time/time.h"
#include "cache/redis_address.h"
#include "cache/shared_cache.h"
#include "cache/tls_identity.h"

namespace firstcall {

class RedisCache final : public SharedCache {
 public:
  struct Options : SharedCacheOptions {
    RedisAddress address;
    TlsIdentity identity;                       // For an address with TLS.
    size_t most_pack_bytes = size_t{64} << 20;  // Larger packs are neither sent nor used.
    // The server may drop all objects of a signature when none was added to them for this time.
    absl::Duration expiry = absl::Hours(24 * 7);
  };

  // Connects when the server is first needed.
  explicit RedisCache(const Options& options);
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_CACHE_H_
