#include "cache/redis_cache.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "cache/pack_entries.h"
#include "cache/pack_server.h"
#include "cache/redis_connection.h"

namespace firstcall {
namespace {

// For what an answer has besides a list and a pack.
constexpr size_t kMostAnswerOverhead = 1024;

// Those who have read the old list a moment ago find the old second pack for so long.
constexpr absl::Duration kFarewell = absl::Minutes(1);

// KEYS: the hash, the second pack, and the old second pack. ARGV: "new" if there must be no list,
// "same" if the list must be ARGV[2], or "any"; that list; the seconds until all of this expires;
// the seconds for the old second pack; the new list; the start pack; and the second pack, if it is
// a new one. A key that there is none of is the hash's. Returns 0 if another list is there.
constexpr char kReplace[] = R"(
local old = redis.call('HGET', KEYS[1], 'list')
if (ARGV[1] == 'new' and old) or (ARGV[1] == 'same' and old ~= ARGV[2]) then return 0 end
if ARGV[7] then redis.call('SET', KEYS[2], ARGV[7]) end
redis.call('HSET', KEYS[1], 'list', ARGV[5], 'start', ARGV[6])
redis.call('EXPIRE', KEYS[3], ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 1)";

// The same text in all keys of a signature.
std::string TagOf(absl::string_view signature) {
  const std::string path = ListPath(signature);
  return std::string(absl::string_view(path).substr(path.find('/') + 1));
}

std::string HashOf(absl::string_view tag) { return absl::StrCat("firstcall:3:{", tag, "}"); }

std::string KeyOf(absl::string_view tag, absl::string_view path) {
  return absl::StrCat(HashOf(tag), ":", path.substr(path.find('/') + 1));
}

// The key of the second pack; the hash's if there is none.
std::string SecondKeyOf(absl::string_view tag, const PackList& list) {
  return list.packs.size() < 2 ? HashOf(tag) : KeyOf(tag, list.packs[1].path);
}

std::string Seconds(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Seconds(duration));
}

class RedisPacks final : public PackServer {
 public:
  explicit RedisPacks(const RedisCache::Options& options)
      : name_(options.address.ToString()),
        expiry_(options.expiry),
        connection_(options.address, options.identity,
                    options.most_pack_bytes + kMostListBytes + kMostAnswerOverhead) {}

  std::string ToString() const override { return name_; }

  std::vector<absl::StatusOr<std::optional<Found>>> FetchLists(
      absl::Span<const std::string> signatures, absl::Duration timeout) override {
    std::vector<RedisConnection::Question> questions;
    for (const std::string& signature : signatures) {
      const std::string tag = TagOf(signature);
      questions.push_back({{"HMGET", HashOf(tag), "list", "start"}, tag});
    }
    std::vector<absl::StatusOr<std::optional<Found>>> lists;
    for (absl::StatusOr<RedisReply>& reply : connection_.Run(std::move(questions), timeout)) {
      lists.push_back(ListOf(Fetched(std::move(reply))));
    }
    return lists;
  }

  std::vector<absl::StatusOr<std::optional<std::string>>> FetchPacks(
      absl::Span<const Listed> packs, absl::Duration timeout) override {
    std::vector<RedisConnection::Question> questions;
    for (const Listed& listed : packs) {
      const std::string tag = TagOf(listed.signature);
      questions.push_back({{"GET", KeyOf(tag, listed.pack.path)}, tag});
    }
    std::vector<absl::StatusOr<std::optional<std::string>>> all;
    for (absl::StatusOr<RedisReply>& reply : connection_.Run(std::move(questions), timeout)) {
      all.push_back(TextOf(Fetched(std::move(reply))));
    }
    return all;
  }

  absl::StatusOr<std::optional<std::string>> FetchRange(const Listed& listed, uint64_t offset,
                                                        uint64_t size,
                                                        absl::Duration timeout) override {
    const std::string tag = TagOf(listed.signature);
    absl::StatusOr<RedisReply> reply = Run({"GETRANGE", KeyOf(tag, listed.pack.path),
                                            absl::StrCat(offset), absl::StrCat(offset + size - 1)},
                                           tag, timeout);
    FIRSTCALL_ASSIGN_OR_RETURN(std::optional<std::string> text, TextOf(Fetched(std::move(reply))));
    if (text == "") return std::nullopt;  // There is no such key.
    return text;
  }

  absl::Status Replace(absl::string_view signature, Replacement replacement,
                       absl::Duration timeout) override {
    const std::string tag = TagOf(signature);
    const std::string hash = HashOf(tag);
    const std::string second = SecondKeyOf(tag, replacement.packs);
    std::string old_second = SecondKeyOf(tag, replacement.old_packs);
    const std::string lifetime = Seconds(expiry_);
    // The last EXPIRE of a key is the one that counts, but the second pack must not live shorter.
    if (old_second == second) old_second = hash;
    RedisCommand command = {"EVAL",
                            kReplace,
                            "3",
                            hash,
                            second,
                            std::move(old_second),
                            replacement.must_be_new        ? "new"
                            : !replacement.version.empty() ? "same"
                                                           : "any",
                            std::move(replacement.version),
                            lifetime,
                            Seconds(kFarewell),
                            std::move(replacement.list),
                            std::move(replacement.start.bytes)};
    if (replacement.rest) command.push_back(std::move(replacement.rest->bytes));
    absl::StatusOr<RedisReply> reply = Run(std::move(command), tag, timeout);
    // A server that does not take what is to be stored, because it has no memory, or because of its
    // rules for this user, may still be asked for entries.
    if (absl::IsFailedPrecondition(reply.status())) {
      return absl::PermissionDeniedError(reply.status().message());
    }
    FIRSTCALL_RETURN_IF_ERROR(reply.status());
    return reply->text == "1" ? absl::OkStatus()
                              : absl::AbortedError("another process has written the list");
  }

 private:
  absl::StatusOr<RedisReply> Run(RedisCommand command, const std::string& tag,
                                 absl::Duration timeout) {
    return std::move(connection_.Run({{std::move(command), tag}}, timeout).front());
  }

  // A server that answers with an error to a request for entries cannot be used.
  static absl::StatusOr<RedisReply> Fetched(absl::StatusOr<RedisReply> reply) {
    if (!absl::IsFailedPrecondition(reply.status())) return reply;
    return absl::UnavailableError(reply.status().message());
  }

  static absl::StatusOr<std::optional<Found>> ListOf(absl::StatusOr<RedisReply> reply) {
    FIRSTCALL_RETURN_IF_ERROR(reply.status());
    if (reply->elements.size() != 2 || !reply->elements[0].text) return std::nullopt;
    Found found;
    found.list = *std::move(reply->elements[0].text);
    if (found.list.size() > kMostListBytes) return absl::DataLossError("a list is too large");
    found.version = found.list;
    found.start = std::move(reply->elements[1].text);
    return std::optional<Found>(std::move(found));
  }

  static absl::StatusOr<std::optional<std::string>> TextOf(absl::StatusOr<RedisReply> reply) {
    FIRSTCALL_RETURN_IF_ERROR(reply.status());
    return std::move(reply->text);
  }

  const std::string name_;
  const absl::Duration expiry_;
  RedisConnection connection_;
};

}  // namespace

RedisCache::RedisCache(const Options& options)
    : SharedCache(options, std::make_unique<PackEntries>(std::make_unique<RedisPacks>(options),
                                                         options.key, options.most_pack_bytes)) {}

}  // namespace firstcall
