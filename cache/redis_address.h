// The address of a Redis server, from a URL: redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE].
//
// A plain value.

#ifndef FIRSTCALL_CACHE_REDIS_ADDRESS_H_
#define FIRSTCALL_CACHE_REDIS_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

struct RedisAddress {
  std::string host;
  int port = 6379;
  int database = 0;
  std::string user;  // Empty: the default user.
  std::string password;

  // InvalidArgument if `url` does not have that form; Unimplemented for rediss://, because the
  // hiredis of Debian 12 has no TLS. Messages do not repeat the password.
  static absl::StatusOr<RedisAddress> Parse(absl::string_view url);

  // "host:port/database".
  std::string ToString() const;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_ADDRESS_H_
