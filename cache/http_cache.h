// A cache that machines share by an HTTP server, behind a local cache. See cache/shared_cache.h for
// tags, budget and what happens if the server fails. Any server serves that keeps bytes under
// names: it answers GET and PUT. cache/shared_packs.h has the names, which are those of Bazel's
// remote cache.
//
// What a start needs is one file, so a start that finds nothing in the local cache takes two
// requests on one connection. When the cache is flushed, new entries are merged with those that the
// server has. If another process replaces the list of packs meanwhile, the merge is repeated, on
// servers that know If-Match; on others the last list stays, and what it lacks comes again from the
// next process that misses it.
//
// libcurl is loaded when the server is first asked.
//
// Thread-safe.

#ifndef FIRSTCALL_CACHE_HTTP_CACHE_H_
#define FIRSTCALL_CACHE_HTTP_CACHE_H_

#include <cstddef>

#include "cache/http_address.h"
#include "cache/http_connection.h"
#include "cache/shared_cache.h"

namespace firstcall {

class HttpCache final : public SharedCache {
 public:
  struct Options : SharedCacheOptions {
    HttpAddress address;
    HttpIdentity identity;
    size_t most_pack_bytes = size_t{64} << 20;  // Larger packs are neither sent nor used.
  };

  // Connects when the server is first needed.
  explicit HttpCache(const Options& options);
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_HTTP_CACHE_H_
