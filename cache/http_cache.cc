#include "cache/http_cache.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "cache/pack_entries.h"
#include "cache/pack_server.h"
#include "cache/shared_packs.h"

namespace firstcall {
namespace {

constexpr int kOk = 200, kPartialContent = 206, kNotFound = 404, kGone = 410, kConflict = 409,
              kPreconditionFailed = 412;

bool IsMissing(const HttpAnswer& answer) {
  return answer.status == kNotFound || answer.status == kGone;
}

absl::Status Unexpected(const HttpAnswer& answer) {
  return absl::UnavailableError(absl::StrCat("HTTP status ", answer.status));
}

// That the server does not take what is to be stored is no reason not to ask it for entries. (413:
// it is too large; 507: the disk is full.)
absl::Status CheckStored(const HttpAnswer& answer) {
  if (answer.status >= 200 && answer.status < 300) return absl::OkStatus();
  const bool is_refusal =
      (answer.status >= 400 && answer.status < 500) || answer.status == 501 || answer.status == 507;
  return is_refusal ? absl::PermissionDeniedError(Unexpected(answer).message())
                    : Unexpected(answer);
}

class HttpPacks final : public PackServer {
 public:
  explicit HttpPacks(const HttpCache::Options& options)
      : name_(options.address.url), connection_(options.address, options.identity) {}

  std::string ToString() const override { return name_; }

  std::vector<absl::StatusOr<std::optional<Found>>> FetchLists(
      absl::Span<const std::string> signatures, absl::Duration timeout) override {
    std::vector<HttpRequest> requests(signatures.size());
    for (size_t i = 0; i < requests.size(); ++i) {
      requests[i].path = ListPath(signatures[i]);
      requests[i].most_bytes = kMostListBytes;
    }
    std::vector<absl::StatusOr<std::optional<Found>>> lists;
    for (absl::StatusOr<HttpAnswer>& answer : connection_.Ask(std::move(requests), timeout)) {
      lists.push_back(ListOf(std::move(answer)));
    }
    return lists;
  }

  std::vector<absl::StatusOr<std::optional<std::string>>> FetchPacks(
      absl::Span<const Listed> packs, absl::Duration timeout) override {
    std::vector<HttpRequest> requests;
    for (const Listed& listed : packs) requests.push_back(RequestFor(listed));
    return Get(std::move(requests), timeout);
  }

  absl::StatusOr<std::optional<std::string>> FetchRange(const Listed& listed, uint64_t offset,
                                                        uint64_t size,
                                                        absl::Duration timeout) override {
    HttpRequest request = RequestFor(listed);
    request.range = {offset, offset + size - 1};
    return std::move(Get({std::move(request)}, timeout).front());
  }

  absl::Status Replace(absl::string_view signature, Replacement replacement,
                       absl::Duration timeout) override {
    const absl::Duration deadline = SteadyNow() + timeout;
    if (replacement.rest) FIRSTCALL_RETURN_IF_ERROR(Put(*std::move(replacement.rest), deadline));
    FIRSTCALL_RETURN_IF_ERROR(Put(std::move(replacement.start), deadline));
    HttpRequest request;
    request.path = ListPath(signature);
    request.stored = std::make_shared<const std::string>(std::move(replacement.list));
    request.etag = std::move(replacement.version);
    request.must_be_new = replacement.must_be_new;
    FIRSTCALL_ASSIGN_OR_RETURN(const HttpAnswer answer, AskOnce(std::move(request), deadline));
    if (answer.status == kPreconditionFailed || answer.status == kConflict) {
      return absl::AbortedError("another process has written the list");
    }
    return CheckStored(answer);
  }

 private:
  static HttpRequest RequestFor(const Listed& listed) {
    HttpRequest request;
    request.path = listed.pack.path;
    request.most_bytes = listed.pack.size;
    return request;
  }

  static absl::StatusOr<std::optional<Found>> ListOf(absl::StatusOr<HttpAnswer> answer) {
    FIRSTCALL_RETURN_IF_ERROR(answer.status());
    if (IsMissing(*answer)) return std::nullopt;
    if (answer->status != kOk) return Unexpected(*answer);
    // A weak ETag matches nothing.
    if (absl::StartsWith(answer->etag, "W/")) answer->etag.clear();
    return Found{std::move(answer->body), std::move(answer->etag), std::nullopt};
  }

  static absl::StatusOr<std::optional<std::string>> BytesOf(absl::StatusOr<HttpAnswer> answer) {
    FIRSTCALL_RETURN_IF_ERROR(answer.status());
    if (IsMissing(*answer)) return std::nullopt;
    if (answer->status != kOk && answer->status != kPartialContent) return Unexpected(*answer);
    return std::move(answer->body);
  }

  std::vector<absl::StatusOr<std::optional<std::string>>> Get(std::vector<HttpRequest> requests,
                                                              absl::Duration timeout) {
    std::vector<absl::StatusOr<std::optional<std::string>>> all;
    for (absl::StatusOr<HttpAnswer>& answer : connection_.Ask(std::move(requests), timeout)) {
      all.push_back(BytesOf(std::move(answer)));
    }
    return all;
  }

  absl::StatusOr<HttpAnswer> AskOnce(HttpRequest request, absl::Duration deadline) {
    return std::move(connection_.Ask({std::move(request)}, deadline - SteadyNow()).front());
  }

  absl::Status Put(Pack pack, absl::Duration deadline) {
    HttpRequest request;
    request.path = std::move(pack.path);
    request.stored = std::make_shared<const std::string>(std::move(pack.bytes));
    FIRSTCALL_ASSIGN_OR_RETURN(const HttpAnswer answer, AskOnce(std::move(request), deadline));
    return CheckStored(answer);
  }

  const std::string name_;
  HttpConnection connection_;
};

}  // namespace

HttpCache::HttpCache(const Options& options)
    : SharedCache(options, std::make_unique<PackEntries>(std::make_unique<HttpPacks>(options),
                                                         options.key, options.most_pack_bytes)) {}

}  // namespace firstcall
