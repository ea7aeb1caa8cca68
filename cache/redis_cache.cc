#include "cache/redis_cache.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "cache/entry_server.h"
#include "cache/redis_connection.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"

namespace firstcall {
namespace {

using Command = RedisConnection::Command;
using Reply = RedisConnection::Reply;

// A hash with at most this many fields is fetched as a whole, because a start needs most of them. A
// larger hash was made ahead of time, and a start needs few of its fields.
constexpr int64_t kMostFetched = 4096;

// The number of entries sent in one command.
constexpr size_t kEntriesPerCommand = 256;

// The name of the hash with the entries of `signature`.
std::string HashOf(absl::string_view signature) {
  const auto digest = llvm::BLAKE3::hash<32>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(signature.data()), signature.size()));
  return absl::StrCat("firstcall:2:",
                      absl::BytesToHexString(absl::string_view(
                          reinterpret_cast<const char*>(digest.data()), digest.size())));
}

class RedisEntries final : public EntryServer {
 public:
  RedisEntries(const RedisAddress& address, absl::Duration expiry)
      : name_(absl::StrCat("redis://", address.ToString())),
        expiry_(expiry),
        connection_(address) {}

  std::string ToString() const override { return name_; }

  absl::StatusOr<Contents> FetchAll(absl::string_view signature, absl::Duration timeout) override {
    const absl::Duration deadline = SteadyNow() + timeout;
    const std::string hash = HashOf(signature);
    FIRSTCALL_ASSIGN_OR_RETURN(std::vector<Reply> size, connection_.Run({{"HLEN", hash}}, timeout));
    Contents contents;
    int64_t count = 0;
    if (!absl::SimpleAtoi(size[0].text.value_or(""), &count) || count == 0) return contents;
    FIRSTCALL_ASSIGN_OR_RETURN(std::vector<Reply> all,
                               connection_.Run({{count > kMostFetched ? "HKEYS" : "HGETALL", hash}},
                                               deadline - SteadyNow()));
    std::vector<Reply>& elements = all[0].elements;
    if (count > kMostFetched) {
      for (Reply& name : elements) contents.others.insert(std::move(name.text).value_or(""));
      return contents;
    }
    for (size_t i = 0; i + 1 < elements.size(); i += 2) {
      contents.entries[elements[i].text.value_or("")] =
          std::move(elements[i + 1].text).value_or("");
    }
    return contents;
  }

  absl::StatusOr<Entries> FetchOne(absl::string_view signature, const std::string& name,
                                   absl::Duration timeout) override {
    FIRSTCALL_ASSIGN_OR_RETURN(std::vector<Reply> replies,
                               connection_.Run({{"HGET", HashOf(signature), name}}, timeout));
    Entries entries;
    if (replies[0].text) entries[name] = *std::move(replies[0].text);
    return entries;
  }

  absl::Status Send(absl::string_view signature, std::vector<NewEntry> entries,
                    const absl::flat_hash_set<ModulePart>& /*used*/,
                    absl::Duration timeout) override {
    const std::string hash = HashOf(signature);
    std::vector<Command> commands;
    for (size_t i = 0; i < entries.size(); i += kEntriesPerCommand) {
      Command command = {"HSET", hash};
      for (size_t j = i; j < std::min(entries.size(), i + kEntriesPerCommand); ++j) {
        command.push_back(entries[j].part.ToString());
        command.push_back(std::move(entries[j].sealed));
      }
      commands.push_back(std::move(command));
    }
    commands.push_back({"EXPIRE", hash, absl::StrCat(absl::ToInt64Seconds(expiry_))});
    return connection_.Run(std::move(commands), timeout).status();
  }

 private:
  const std::string name_;
  const absl::Duration expiry_;
  RedisConnection connection_;
};

}  // namespace

RedisCache::RedisCache(const Options& options)
    : SharedCache(options, std::make_unique<RedisEntries>(options.address, options.expiry)) {}

}  // namespace firstcall
