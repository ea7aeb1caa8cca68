#include "cache/open_shared_cache.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/file_contents.h"
#include "base/status.h"
#include "cache/http_address.h"
#include "cache/http_cache.h"
#include "cache/redis_address.h"
#include "cache/redis_cache.h"
#include "cache/tls_identity.h"

namespace firstcall {
namespace {

absl::Status Wrong(absl::string_view name, absl::string_view value, absl::string_view needed) {
  return absl::InvalidArgumentError(
      absl::StrCat("object cache: setting '", name, "=", value, "' needs ", needed));
}

absl::Status SetNumber(absl::string_view name, absl::string_view value, uint64_t& number) {
  if (absl::SimpleAtoi(value, &number)) return absl::OkStatus();
  return Wrong(name, value, "a number");
}

absl::Status SetFlag(absl::string_view name, absl::string_view value, bool& flag) {
  flag = value == "yes";
  return flag || value == "no" ? absl::OkStatus() : Wrong(name, value, "yes or no");
}

// The contents of a file that has one word, such as a key.
absl::Status SetFromFile(absl::string_view what, const std::string& path, std::string& text) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const FileContents> file,
                             FileContents::Read(path));
  text = std::string(absl::StripAsciiWhitespace(file->bytes()));
  if (!text.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("'", path, "' has no ", what));
}

// A token becomes part of a line that is sent.
absl::Status CheckToken(absl::string_view token) {
  const bool is_one_word = !token.empty() && std::all_of(token.begin(), token.end(), [](char c) {
    return absl::ascii_isgraph(c);
  });
  return is_one_word ? absl::OkStatus()
                     : absl::InvalidArgumentError("object cache: the bearer token is not one word");
}

absl::Status SetFromVariable(const std::string& variable, std::string& text) {
  const char* const value = std::getenv(variable.c_str());
  if (value == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("object cache: the environment has no variable '", variable, "'"));
  }
  text = value;
  return absl::OkStatus();
}

// Sets what all servers have: those of `options`, and `most_pack_bytes`. Returns whether `name` is
// such a setting.
absl::StatusOr<bool> SetShared(absl::string_view name, const std::string& value,
                               SharedCacheOptions& options, size_t& most_pack_bytes) {
  uint64_t number = 0;
  if (name == "key-file") {
    FIRSTCALL_RETURN_IF_ERROR(SetFromFile("key", value, options.key));
  } else if (name == "budget") {
    FIRSTCALL_RETURN_IF_ERROR(SetNumber(name, value, number));
    options.budget = absl::Milliseconds(number);
  } else if (name == "read-only") {
    FIRSTCALL_RETURN_IF_ERROR(SetFlag(name, value, options.is_read_only));
  } else if (name == "most-entry-bytes") {
    FIRSTCALL_RETURN_IF_ERROR(SetNumber(name, value, number));
    options.most_entry_bytes = number;
  } else if (name == "most-pack-bytes") {
    FIRSTCALL_RETURN_IF_ERROR(SetNumber(name, value, number));
    most_pack_bytes = number;
  } else {
    return false;
  }
  return true;
}

// The same for what servers with TLS have.
bool SetTls(absl::string_view name, const std::string& value, TlsIdentity& identity) {
  if (name == "ca-file") {
    identity.ca_file = value;
  } else if (name == "certificate-file") {
    identity.certificate_file = value;
  } else if (name == "certificate-key-file") {
    identity.certificate_key_file = value;
  } else {
    return false;
  }
  return true;
}

// The same for HTTP.
absl::StatusOr<bool> SetHttp(absl::string_view name, const std::string& value,
                             HttpIdentity& identity, bool& allows_plain_http) {
  if (name == "token-file") {
    FIRSTCALL_RETURN_IF_ERROR(SetFromFile("token", value, identity.bearer_token));
    FIRSTCALL_RETURN_IF_ERROR(CheckToken(identity.bearer_token));
  } else if (name == "token-variable") {
    FIRSTCALL_RETURN_IF_ERROR(SetFromVariable(value, identity.bearer_token));
    FIRSTCALL_RETURN_IF_ERROR(CheckToken(identity.bearer_token));
  } else if (name == "netrc-file") {
    identity.netrc_file = value;
  } else if (name == "plain-http") {
    FIRSTCALL_RETURN_IF_ERROR(SetFlag(name, value, allows_plain_http));
  } else {
    return SetTls(name, value, identity);
  }
  return true;
}

absl::Status Unknown(absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat("object cache: a server of this kind has no setting '", name, "'"));
}

absl::StatusOr<std::unique_ptr<SharedCache>> OpenHttp(absl::string_view url,
                                                      const SharedCacheSettings& settings,
                                                      SharedCacheOptions shared) {
  HttpCache::Options options;
  static_cast<SharedCacheOptions&>(options) = std::move(shared);
  FIRSTCALL_ASSIGN_OR_RETURN(options.address, HttpAddress::Parse(url));
  bool allows_plain_http = false;
  for (const auto& [name, value] : settings) {
    FIRSTCALL_ASSIGN_OR_RETURN(const bool is_shared,
                               SetShared(name, value, options, options.most_pack_bytes));
    if (is_shared) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(const bool is_http,
                               SetHttp(name, value, options.identity, allows_plain_http));
    if (!is_http) return Unknown(name);
  }
  const HttpAddress& address = options.address;
  if (!address.is_secure && !address.is_loopback && !allows_plain_http) {
    return absl::InvalidArgumentError(
        absl::StrCat("object cache '", address.url,
                     "': others can read and change what http:// carries; the setting "
                     "'plain-http=yes' allows it"));
  }
  return std::make_unique<HttpCache>(options);
}

absl::StatusOr<std::unique_ptr<SharedCache>> OpenRedis(absl::string_view url,
                                                       const SharedCacheSettings& settings,
                                                       SharedCacheOptions shared) {
  RedisCache::Options options;
  static_cast<SharedCacheOptions&>(options) = std::move(shared);
  FIRSTCALL_ASSIGN_OR_RETURN(options.address, RedisAddress::Parse(url));
  std::string password;
  for (const auto& [name, value] : settings) {
    FIRSTCALL_ASSIGN_OR_RETURN(const bool is_shared,
                               SetShared(name, value, options, options.most_pack_bytes));
    if (is_shared || (options.address.is_secure && SetTls(name, value, options.identity))) continue;
    if (name == "password-file") {
      FIRSTCALL_RETURN_IF_ERROR(SetFromFile("password", value, password));
    } else if (name == "password-variable") {
      FIRSTCALL_RETURN_IF_ERROR(SetFromVariable(value, password));
    } else {
      return Unknown(name);
    }
  }
  if (!password.empty()) {
    FIRSTCALL_ASSIGN_OR_RETURN(options.address,
                               RedisAddress::ParseWithPassword(url, std::move(password)));
  }
  return std::make_unique<RedisCache>(options);
}

}  // namespace

absl::StatusOr<std::unique_ptr<SharedCache>> OpenSharedCache(
    absl::string_view url, const SharedCacheSettings& settings, std::shared_ptr<ObjectCache> front,
    SharedCacheOptions::WarningHandler warn) {
  SharedCacheOptions shared;
  shared.front = std::move(front);
  shared.warn = std::move(warn);
  if (absl::StartsWith(url, "http://") || absl::StartsWith(url, "https://")) {
    return OpenHttp(url, settings, std::move(shared));
  }
  if (absl::StartsWith(url, "redis://") || absl::StartsWith(url, "rediss://")) {
    return OpenRedis(url, settings, std::move(shared));
  }
  return absl::InvalidArgumentError(
      "object cache: the URL has none of https://, http://, rediss:// and redis://");
}

}  // namespace firstcall
