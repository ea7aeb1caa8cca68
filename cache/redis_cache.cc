#include "cache/redis_cache.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "base/steady_clock.h"
#include "cache/hmac.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"

namespace firstcall {
namespace {

using Command = RedisConnection::Command;
using Reply = RedisConnection::Reply;

constexpr size_t kTagSize = 32;

// A hash with at most this many fields is fetched as a whole, because a start needs most of them. A
// larger hash was made ahead of time, and a start needs few of its fields.
constexpr int64_t kMostFetched = 4096;

// The number of entries sent in one command.
constexpr size_t kEntriesPerCommand = 256;

std::string Digest(absl::string_view text) {
  const auto digest = llvm::BLAKE3::hash<kTagSize>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

}  // namespace

RedisCache::RedisCache(Options options)
    : options_(std::move(options)), connection_(options_.address), left_(options_.budget) {}

RedisCache::~RedisCache() { Flush(); }

std::string RedisCache::TagOf(const ObjectKey& key, absl::string_view object) const {
  Encoder message;
  message.String(key.signature);
  message.String(key.part.ToString());
  message.Raw(object);
  return options_.key.empty() ? Digest(message.bytes()) : HmacSha256(options_.key, message.bytes());
}

void RedisCache::NoteWarning(absl::string_view reason) {
  if (std::exchange(has_warned_, true)) return;
  warning_ = absl::StrCat("object cache 'redis://", options_.address.ToString(),
                          "' is not used: ", reason);
}

void RedisCache::Warn() {
  std::string warning;
  {
    absl::MutexLock lock(&mutex_);
    warning.swap(warning_);
  }
  if (!warning.empty() && options_.warn) options_.warn(warning);
}

RedisCache::Set& RedisCache::SetOf(absl::string_view signature) {
  auto found = sets_.find(signature);
  if (found != sets_.end()) return found->second;
  Set& set = sets_[std::string(signature)];
  set.name = absl::StrCat("firstcall:1:", absl::BytesToHexString(Digest(signature)));
  return set;
}

std::optional<std::vector<Reply>> RedisCache::Run(std::vector<Command> commands) {
  if (is_lost_) return std::nullopt;
  const absl::Duration start = SteadyNow();
  absl::StatusOr<std::vector<Reply>> replies = connection_.Run(std::move(commands), left_);
  left_ -= SteadyNow() - start;
  if (replies.ok()) return *std::move(replies);
  is_lost_ = true;
  NoteWarning(replies.status().message());
  return std::nullopt;
}

void RedisCache::Ask(Set& set) {
  if (std::exchange(set.is_asked, true)) return;
  std::optional<std::vector<Reply>> size = Run({{"HLEN", set.name}});
  int64_t count = 0;
  if (!size || !absl::SimpleAtoi((*size)[0].text.value_or(""), &count)) return;
  if (count > kMostFetched) {
    std::optional<std::vector<Reply>> names = Run({{"HKEYS", set.name}});
    if (!names) return;
    set.parts.emplace();
    for (Reply& name : (*names)[0].elements) {
      set.parts->insert(std::move(name.text).value_or(""));
    }
    return;
  }
  set.is_fetched = true;
  if (count == 0) return;
  std::optional<std::vector<Reply>> all = Run({{"HGETALL", set.name}});
  if (!all) return;
  std::vector<Reply>& pairs = (*all)[0].elements;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    set.entries[pairs[i].text.value_or("")] = std::move(pairs[i + 1].text).value_or("");
  }
}

std::optional<std::string> RedisCache::Fetch(Set& set, const std::string& part) {
  Ask(set);
  if (auto found = set.entries.find(part); found != set.entries.end()) {
    if (options_.front == nullptr) return found->second;
    // The front keeps it.
    std::string entry = std::move(found->second);
    set.entries.erase(found);
    return entry;
  }
  if (set.is_fetched || (set.parts && !set.parts->contains(part))) return std::nullopt;
  std::optional<std::vector<Reply>> replies = Run({{"HGET", set.name, part}});
  if (!replies) return std::nullopt;
  std::optional<std::string> entry = std::move((*replies)[0].text);
  if (entry && options_.front == nullptr) set.entries[part] = *entry;
  return entry;
}

std::optional<ObjectCache::Bytes> RedisCache::Find(const ObjectKey& key) {
  if (options_.front != nullptr) {
    if (std::optional<Bytes> found = options_.front->Find(key)) return found;
  }
  std::optional<std::string> entry;
  {
    absl::MutexLock lock(&mutex_);
    entry = Fetch(SetOf(key.signature), key.part.ToString());
  }
  if (!entry) {
    Warn();
    return std::nullopt;
  }
  const absl::string_view tag = absl::string_view(*entry).substr(0, kTagSize);
  const absl::string_view object = absl::string_view(*entry).substr(tag.size());
  if (!IsEqualInConstantTime(tag, TagOf(key, object))) {
    {
      absl::MutexLock lock(&mutex_);
      NoteWarning(options_.key.empty() ? "an entry is damaged"
                                       : "an entry was not written with this key");
    }
    Warn();
    return std::nullopt;
  }
  Bytes bytes(object);
  if (options_.front != nullptr) options_.front->Store(key, bytes);
  return bytes;
}

bool RedisCache::Has(const ObjectKey& key) {
  if (options_.front != nullptr && options_.front->Has(key)) return true;
  absl::MutexLock lock(&mutex_);
  const Set& set = SetOf(key.signature);
  const std::string part = key.part.ToString();
  return set.entries.contains(part) || (set.parts && set.parts->contains(part));
}

void RedisCache::Store(const ObjectKey& key, Bytes object) {
  if (options_.front != nullptr) options_.front->Store(key, object);
  std::string entry = absl::StrCat(TagOf(key, object), absl::string_view(object));
  absl::MutexLock lock(&mutex_);
  Set& set = SetOf(key.signature);
  if (options_.front == nullptr) set.entries[key.part.ToString()] = entry;
  if (is_lost_) return;
  set.pending.push_back(key.part.ToString());
  set.pending.push_back(std::move(entry));
}

std::optional<std::string> RedisCache::FindDigest(const FileIdentity& file) {
  return options_.front == nullptr ? std::nullopt : options_.front->FindDigest(file);
}

void RedisCache::RememberDigest(const FileIdentity& file, absl::string_view digest) {
  if (options_.front != nullptr) options_.front->RememberDigest(file, digest);
}

void RedisCache::Flush() {
  if (options_.front != nullptr) options_.front->Flush();
  Send();
  Warn();
}

void RedisCache::Send() {
  absl::MutexLock lock(&mutex_);
  std::vector<Command> commands;
  for (auto& [signature, set] : sets_) {
    std::vector<std::string> pending = std::exchange(set.pending, {});
    if (pending.empty()) continue;
    for (size_t i = 0; i < pending.size(); i += 2 * kEntriesPerCommand) {
      Command command = {"HSET", set.name};
      for (size_t j = i; j < std::min(pending.size(), i + 2 * kEntriesPerCommand); ++j) {
        command.push_back(std::move(pending[j]));
      }
      commands.push_back(std::move(command));
    }
    commands.push_back({"EXPIRE", set.name, absl::StrCat(absl::ToInt64Seconds(options_.expiry))});
  }
  if (!commands.empty()) Run(std::move(commands));
}

}  // namespace firstcall
