#include "cache/shared_cache.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

// A start that needs more single entries than this is one of a module that was compiled ahead of
// time, and other starts need others.
constexpr int kMostLearned = 64;

// Whether an engine asks for the part before all others of a module.
bool IsFirst(ModulePart part) {
  return part.kind == ModulePart::Kind::kIndex || part.kind == ModulePart::Kind::kModule;
}

// Whether a module starts as well without the part: most modules have no optimized code, and one of
// which few functions run never gets a start object.
bool IsOptional(ModulePart part) {
  return part.ages() || part.kind == ModulePart::Kind::kStart ||
         part.kind == ModulePart::Kind::kDebuggerStart;
}

}  // namespace

SharedCache::SharedCache(SharedCacheOptions options, std::unique_ptr<EntryServer> server)
    : options_(std::move(options)),
      seal_(options_.key),
      server_(std::move(server)),
      left_(options_.budget),
      refuses_entries_(options_.is_read_only) {}

SharedCache::~SharedCache() { Flush(); }

void SharedCache::NoteWarning(absl::string_view consequence, absl::string_view reason) {
  if (std::exchange(has_warned_, true)) return;
  warning_ = absl::StrCat("object cache '", server_->ToString(), "' ", consequence, ": ", reason);
}

void SharedCache::Warn() {
  std::string warning;
  {
    absl::MutexLock lock(&mutex_);
    warning.swap(warning_);
  }
  if (!warning.empty() && options_.warn) options_.warn(warning);
}

SharedCache::Set& SharedCache::SetOf(absl::string_view signature) {
  auto found = sets_.find(signature);
  if (found != sets_.end()) return found->second;
  return sets_[std::string(signature)];
}

bool SharedCache::Use(absl::FunctionRef<absl::Status(absl::Duration timeout)> call) {
  if (is_lost_) return false;
  const absl::Duration start = SteadyNow();
  const absl::Status status = call(left_);
  left_ -= SteadyNow() - start;
  if (absl::IsPermissionDenied(status)) {
    refuses_entries_ = true;
    NoteWarning("gets no new entries", status.message());
  } else if (!status.ok()) {
    is_lost_ = !absl::IsDataLoss(status);
    NoteWarning("is not used", status.message());
  }
  return status.ok();
}

void SharedCache::Ask(absl::Span<const absl::string_view> signatures) {
  std::vector<std::string> asked;
  for (const absl::string_view signature : signatures) {
    if (!std::exchange(SetOf(signature).is_asked, true)) asked.emplace_back(signature);
  }
  if (asked.empty()) return;
  std::vector<absl::StatusOr<EntryServer::Contents>> all;  // Empty if the server is not asked.
  Use([&](absl::Duration timeout) {
    all = server_->FetchAll(asked, timeout);
    // Of errors, one that says that the server cannot be used is the one that counts.
    absl::Status status;
    for (const absl::StatusOr<EntryServer::Contents>& contents : all) {
      if (!contents.ok() && (status.ok() || absl::IsDataLoss(status))) status = contents.status();
    }
    return status;
  });
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].ok()) continue;
    Set& set = SetOf(asked[i]);
    for (auto& entry : all[i]->entries) set.entries.insert(std::move(entry));
    set.others = std::move(all[i]->others);
  }
}

std::optional<SharedCache::Fetched> SharedCache::Fetch(const ObjectKey& key) {
  Set& set = SetOf(key.signature);
  if (IsOptional(key.part) && set.is_local && !set.is_asked) return std::nullopt;
  Ask({key.signature});
  auto found = set.entries.find(key.part);
  // It is asked for once.
  const bool comes_alone = found == set.entries.end() && set.others.erase(key.part) > 0;
  if (comes_alone) {
    Use([&](absl::Duration timeout) -> absl::Status {
      FIRSTCALL_ASSIGN_OR_RETURN(EntryServer::Entries entries,
                                 server_->FetchOne(key.signature, key.part, timeout));
      for (auto& [other, sealed] : entries) {
        if (other == key.part || set.others.erase(other) > 0)
          set.entries[other] = std::move(sealed);
      }
      return absl::OkStatus();
    });
    found = set.entries.find(key.part);
  }
  if (found == set.entries.end()) return std::nullopt;
  if (key.part.ages()) set.used.insert(key.part);
  if (options_.front == nullptr) return Fetched{found->second, comes_alone};
  // The front keeps it.
  Fetched fetched = {std::move(found->second), comes_alone};
  set.entries.erase(found);
  return fetched;
}

void SharedCache::Learn(const ObjectKey& key, std::string sealed) {
  absl::MutexLock lock(&mutex_);
  Set& set = SetOf(key.signature);
  if (refuses_entries_ || set.learned == kMostLearned) return;
  ++set.learned;
  set.pending.push_back({key.part, std::move(sealed), /*is_for_start=*/true});
}

void SharedCache::NoteFound(const ObjectKey& key) {
  absl::MutexLock lock(&mutex_);
  Set& set = SetOf(key.signature);
  if (key.part.ages()) set.used.insert(key.part);
  set.is_local = true;
}

std::optional<ObjectCache::Bytes> SharedCache::Find(const ObjectKey& key) {
  if (options_.front != nullptr) {
    if (std::optional<Bytes> found = options_.front->Find(key)) {
      if (key.part.ages() || IsFirst(key.part)) NoteFound(key);
      return found;
    }
  }
  std::optional<Fetched> fetched;
  {
    absl::MutexLock lock(&mutex_);
    fetched = Fetch(key);
  }
  if (!fetched) {
    Warn();
    return std::nullopt;
  }
  std::string& sealed = fetched->sealed;
  const bool is_large = sealed.size() > options_.most_entry_bytes + Seal::kTagSize;
  const std::optional<absl::string_view> object =
      is_large ? std::nullopt : seal_.Open(key.signature, key.part.ToString(), sealed);
  if (!object) {
    {
      absl::MutexLock lock(&mutex_);
      NoteWarning("is not used", is_large          ? "an entry is too large"
                                 : seal_.has_key() ? "an entry was not written with this key"
                                                   : "an entry is damaged");
    }
    Warn();
    return std::nullopt;
  }
  Bytes bytes(*object);
  if (options_.front != nullptr) options_.front->Store(key, bytes);
  // Which optimized code is needed differs from run to run.
  if (fetched->came_alone && !key.part.ages()) Learn(key, std::move(sealed));
  return bytes;
}

void SharedCache::Expect(absl::Span<const ObjectKey> keys) {
  std::vector<absl::string_view> missing;
  for (const ObjectKey& key : keys) {
    if (options_.front == nullptr || !options_.front->Has(key)) missing.push_back(key.signature);
  }
  if (missing.empty()) return;
  {
    absl::MutexLock lock(&mutex_);
    Ask(missing);
  }
  Warn();
}

bool SharedCache::Has(const ObjectKey& key) {
  if (options_.front != nullptr && options_.front->Has(key)) return true;
  absl::MutexLock lock(&mutex_);
  const Set& set = SetOf(key.signature);
  return set.entries.contains(key.part) || set.others.contains(key.part);
}

bool SharedCache::keeps() const {
  return !options_.is_read_only || (options_.front != nullptr && options_.front->keeps());
}

void SharedCache::Store(const ObjectKey& key, Bytes object) {
  if (options_.front != nullptr) options_.front->Store(key, object);
  const bool is_sent = !options_.is_read_only && object.size() <= options_.most_entry_bytes;
  if (!is_sent && options_.front != nullptr) return;
  std::string sealed = seal_.Close(key.signature, key.part.ToString(), object);
  absl::MutexLock lock(&mutex_);
  Set& set = SetOf(key.signature);
  if (key.part.ages()) set.used.insert(key.part);
  if (options_.front == nullptr) set.entries[key.part] = sealed;
  if (is_lost_ || refuses_entries_ || !is_sent) return;
  set.pending.push_back({key.part, std::move(sealed)});
}

std::optional<std::string> SharedCache::FindDigest(const FileIdentity& file) {
  return options_.front == nullptr ? std::nullopt : options_.front->FindDigest(file);
}

void SharedCache::RememberDigest(const FileIdentity& file, absl::string_view digest) {
  if (options_.front != nullptr) options_.front->RememberDigest(file, digest);
}

void SharedCache::Flush() {
  if (options_.front != nullptr) options_.front->Flush();
  Send();
  Warn();
}

bool SharedCache::is_lost() {
  absl::MutexLock lock(&mutex_);
  return is_lost_;
}

std::vector<ModulePart> SharedCache::PartsOf(absl::string_view signature) {
  std::vector<ModulePart> parts;
  {
    absl::MutexLock lock(&mutex_);
    Ask({signature});
    const Set& set = SetOf(signature);
    for (const auto& entry : set.entries) parts.push_back(entry.first);
    parts.insert(parts.end(), set.others.begin(), set.others.end());
  }
  Warn();
  std::sort(parts.begin(), parts.end());
  return parts;
}

void SharedCache::Send() {
  absl::MutexLock lock(&mutex_);
  for (auto& [signature, set] : sets_) {
    std::vector<EntryServer::NewEntry> pending = std::exchange(set.pending, {});
    if (pending.empty() || refuses_entries_) continue;
    Use([&, &name = signature, &used = set.used](absl::Duration timeout) {
      return server_->Send(name, std::move(pending), used, timeout);
    });
  }
}

}  // namespace firstcall
