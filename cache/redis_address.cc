#include "cache/redis_address.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace firstcall {

absl::StatusOr<RedisAddress> RedisAddress::Parse(absl::string_view url) {
  if (absl::StartsWith(url, "rediss://")) {
    return absl::UnimplementedError(
        "object cache 'rediss://...': this build's hiredis has no TLS; put a tunnel in between, "
        "and "
        "give a key, so that entries are authenticated");
  }
  const auto wrong = [](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("object cache: ", what,
                     " in the URL; it should be redis://[[USER:]PASSWORD@]HOST[:PORT]/DB"));
  };
  if (!absl::ConsumePrefix(&url, "redis://")) return wrong("no redis://");
  RedisAddress address;
  if (const size_t at = url.rfind('@'); at != absl::string_view::npos) {
    const std::pair<absl::string_view, absl::string_view> login =
        absl::StrSplit(url.substr(0, at), absl::MaxSplits(':', 1));
    const bool has_user = absl::StrContains(url.substr(0, at), ':');
    if (has_user) address.user = std::string(login.first);
    address.password = std::string(has_user ? login.second : login.first);
    url.remove_prefix(at + 1);
  }
  const std::pair<absl::string_view, absl::string_view> path =
      absl::StrSplit(url, absl::MaxSplits('/', 1));
  if (!path.second.empty() &&
      (!absl::SimpleAtoi(path.second, &address.database) || address.database < 0)) {
    return wrong("a database that is no number");
  }
  absl::string_view host = path.first;
  const size_t colon = host.rfind(':');
  // The colons of an IPv6 address are inside brackets.
  if (colon != absl::string_view::npos && host.find(']', colon) == absl::string_view::npos) {
    if (!absl::SimpleAtoi(host.substr(colon + 1), &address.port) || address.port < 1 ||
        address.port > 65535) {
      return wrong("a port that is none");
    }
    host = host.substr(0, colon);
  }
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  if (host.empty()) return wrong("no host");
  address.host = std::string(host);
  return address;
}

std::string RedisAddress::ToString() const { return absl::StrCat(host, ":", port, "/", database); }

}  // namespace firstcall
