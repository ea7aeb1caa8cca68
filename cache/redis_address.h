// The address of a Redis server, from a URL: redis[s]://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE].
//
// A plain value. Tested in tests/cache/redis_address_test.cc.

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

  bool is_secure = false;  // Whether it begins with rediss://, and so the server has TLS.

  // InvalidArgument if `url` does not have that form. Messages do not repeat the password.
  static absl::StatusOr<RedisAddress> Parse(absl::string_view url);

  // The same for a URL that has no password: redis[s]://[USER@]HOST[:PORT][/DATABASE].
  static absl::StatusOr<RedisAddress> ParseWithPassword(absl::string_view url,
                                                        std::string password);

  // "redis[s]://host:port/database".
  std::string ToString() const;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_ADDRESS_H_
