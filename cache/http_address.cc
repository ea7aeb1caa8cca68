#include "cache/http_address.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
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
                   " in the URL; it should be http[s]://[USER[:PASSWORD]@]HOST[:PORT][/PREFIX]"));
}

// Replaces each %XX by the byte that it stands for. Returns whether all of these are complete.
bool Unescape(absl::string_view text, std::string& bytes) {
  while (!text.empty()) {
    if (!absl::ConsumePrefix(&text, "%")) {
      bytes.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    unsigned value = 0;
    if (text.size() < 2 || !absl::ascii_isxdigit(text[0]) || !absl::ascii_isxdigit(text[1]) ||
        !absl::SimpleHexAtoi(text.substr(0, 2), &value)) {
      return false;
    }
    bytes.push_back(static_cast<char>(value));
    text.remove_prefix(2);
  }
  return !absl::StrContains(bytes, '\0');
}

bool IsLoopback(absl::string_view host) {
  if (absl::EqualsIgnoreCase(host, "localhost") || host == "[::1]") return true;
  const bool is_number = std::all_of(host.begin(), host.end(),
                                     [](char c) { return absl::ascii_isdigit(c) || c == '.'; });
  return is_number && absl::StartsWith(host, "127.");
}

}  // namespace

absl::StatusOr<HttpAddress> HttpAddress::Parse(absl::string_view url) {
  HttpAddress address;
  address.is_secure = absl::ConsumePrefix(&url, "https://");
  if (!address.is_secure && !absl::ConsumePrefix(&url, "http://")) {
    return Wrong("no http:// or https://");
  }
  absl::string_view authority = url.substr(0, url.find('/'));
  absl::string_view path = url.substr(authority.size());
  if (const size_t at = authority.rfind('@'); at != absl::string_view::npos) {
    const std::pair<absl::string_view, absl::string_view> login =
        absl::StrSplit(authority.substr(0, at), absl::MaxSplits(':', 1));
    if (!Unescape(login.first, address.user) || !Unescape(login.second, address.password)) {
      return Wrong("a % that begins no byte");
    }
    authority.remove_prefix(at + 1);
  }
  // Of a password with a slash, the part behind the slash is in the path.
  if (absl::StrContains(path, '@')) return Wrong("an @ in the path, or a / in the password,");
  for (const absl::string_view part : {authority, path}) {
    const bool is_plain = std::all_of(part.begin(), part.end(), [](char c) {
      return absl::ascii_isgraph(c) && !absl::StrContains("?#\\\"<>^`{|}", c);
    });
    if (!is_plain) return Wrong("a character that a path may not have");
  }
  absl::string_view host = authority;
  const size_t colon = host.rfind(':');
  // The colons of an IPv6 address are inside brackets.
  if (colon != absl::string_view::npos && host.find(']', colon) == absl::string_view::npos) {
    int port = 0;
    if (!absl::SimpleAtoi(host.substr(colon + 1), &port) || port < 1 || port > 65535) {
      return Wrong("a port that is none");
    }
    host = host.substr(0, colon);
  }
  if (host.empty()) return Wrong("no host");
  while (absl::ConsumeSuffix(&path, "/")) {
  }
  address.is_loopback = IsLoopback(host);
  address.url = absl::StrCat(address.is_secure ? "https://" : "http://", authority, path);
  return address;
}

}  // namespace firstcall
