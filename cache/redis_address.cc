#include "cache/redis_address.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace firstcall {
namespace {

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("object cache: ", what,
                   " in the URL; it should be redis[s]://[[USER:]PASSWORD@]HOST[:PORT][/DB]"));
}

}  // namespace

absl::StatusOr<RedisAddress> RedisAddress::Parse(absl::string_view url) {
  RedisAddress address;
  address.is_secure = absl::ConsumePrefix(&url, "rediss://");
  if (!address.is_secure && !absl::ConsumePrefix(&url, "redis://")) {
    return Wrong("no redis:// or rediss://");
  }
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
    return Wrong("a database that is no number");
  }
  absl::string_view host = path.first;
  const size_t colon = host.rfind(':');
  // The colons of an IPv6 address are inside brackets.
  if (colon != absl::string_view::npos && host.find(']', colon) == absl::string_view::npos) {
    if (!absl::SimpleAtoi(host.substr(colon + 1), &address.port) || address.port < 1 ||
        address.port > 65535) {
      return Wrong("a port that is none");
    }
    host = host.substr(0, colon);
  }
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  if (host.empty()) return Wrong("no host");
  address.host = std::string(host);
  return address;
}

absl::StatusOr<RedisAddress> RedisAddress::ParseWithPassword(absl::string_view url,
                                                             std::string password) {
  absl::StatusOr<RedisAddress> address = Parse(url);
  if (!address.ok()) return address;
  // What stands alone before the @ is a user here.
  if (!address->user.empty()) return Wrong("a password beside the one of a setting");
  address->user = std::exchange(address->password, std::move(password));
  return address;
}

std::string RedisAddress::ToString() const {
  const bool is_ipv6 = absl::StrContains(host, ':');
  return absl::StrCat(is_secure ? "rediss://" : "redis://", is_ipv6 ? "[" : "", host,
                      is_ipv6 ? "]" : "", ":", port, "/", database);
}

}  // namespace firstcall
