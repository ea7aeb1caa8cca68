// A cache that machines share, from a URL and settings in text, as the command and the C interface
// get them.
//
// Settings of all servers:
//   key-file=FILE            the secret that those who share the cache have; entries made without
//                            the secret are not used
//   budget=MILLISECONDS      how long this process may wait for the server, in total
//   read-only=yes|no         send nothing
//   most-entry-bytes=N       larger entries are neither sent nor used
//   most-pack-bytes=N        larger packs are neither sent nor used
// Settings of servers with TLS:
//   ca-file=FILE             the certificate authorities, instead of the system's
//   certificate-file=FILE    the client's certificate
//   certificate-key-file=FILE  its key, if it is not in that file
// Settings of HTTP:
//   token-file=FILE          has a bearer token
//   token-variable=NAME      the environment variable that has a bearer token
//   netrc-file=FILE          has the user and password of the host (netrc(5))
//   plain-http=yes|no        allow http:// to another host than this one
// Settings of Redis:
//   password-file=FILE       has the password; the URL then has the user, or none
//   password-variable=NAME   the environment variable that has the password
//
// Thread-safe: a pure function, but for the files and variables that it reads.

#ifndef FIRSTCALL_CACHE_OPEN_SHARED_CACHE_H_
#define FIRSTCALL_CACHE_OPEN_SHARED_CACHE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cache/object_cache.h"
#include "cache/shared_cache.h"

namespace firstcall {

using SharedCacheSettings = std::vector<std::pair<std::string, std::string>>;

// A RedisCache for redis:// and rediss://, an HttpCache for http:// and https://. Of a setting that
// is given twice the last value counts. Does not connect. `front` is the local cache, and may be
// null. InvalidArgument for a URL or setting that cannot be used; the status of reading a file that
// a setting names.
absl::StatusOr<std::unique_ptr<SharedCache>> OpenSharedCache(
    absl::string_view url, const SharedCacheSettings& settings, std::shared_ptr<ObjectCache> front,
    SharedCacheOptions::WarningHandler warn);

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_OPEN_SHARED_CACHE_H_
