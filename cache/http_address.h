// Where a server keeps a cache, from a URL: http[s]://[USER[:PASSWORD]@]HOST[:PORT][/PREFIX].
//
// A plain value. Tested in tests/cache/http_address_test.cc.

#ifndef FIRSTCALL_CACHE_HTTP_ADDRESS_H_
#define FIRSTCALL_CACHE_HTTP_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

struct HttpAddress {
  std::string url;  // With neither user nor password, and without a slash at the end.
  std::string user;
  std::string password;
  bool is_secure = false;    // Whether it begins with https://.
  bool is_loopback = false;  // Whether the host is localhost, 127.x.y.z or [::1].

  // InvalidArgument if `url` has not that form. Messages do not repeat the password. %XX in user
  // and password stands for a byte; the rest of the URL is left as it is.
  static absl::StatusOr<HttpAddress> Parse(absl::string_view url);
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_HTTP_ADDRESS_H_
