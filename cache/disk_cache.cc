// Writers take turns, by a lock on a file of the directory, and all write to a file of the same
// name. So if that file exists when the lock is taken, a process that was killed has left it.

#include "cache/disk_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/forks.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "cache/digest_table.h"
#include "cache/pack_writer.h"
#include "llvm/Support/BLAKE3.h"

namespace firstcall {
namespace {

static_assert(kPackPrefix == kPrunedPrefix, "packs must be pruned");

constexpr char kLockName[] = "lock";
// Writing before the end takes at most a twentieth of the time.
constexpr int kRestsPerWrite = 20;
// What writing a byte of a pack takes, where this process has not measured it (docs/adr/0014).
constexpr absl::Duration kTimeOfAByte = absl::Nanoseconds(2);
// From this size on, an entry is kept as it comes; smaller ones are copied to one place.
constexpr size_t kLarge = size_t{64} << 10;
constexpr absl::Duration kLockBudget = absl::Seconds(1);
constexpr absl::Duration kLockInterval = absl::Milliseconds(2);
// Between two looks whether another process has replaced a pack.
constexpr absl::Duration kLookInterval = absl::Milliseconds(5);

std::string SystemError() { return std::strerror(errno); }

// Returns the descriptor of the lock file, which is locked until the descriptor is closed.
// DeadlineExceeded if others have it for longer than `budget`.
absl::StatusOr<int> Lock(int directory, absl::Duration budget) {
  const int file =
      openat(directory, kLockName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (file < 0) return absl::UnavailableError(absl::StrCat("its lock: ", SystemError()));
  const absl::Duration deadline = SteadyNow() + budget;
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const bool is_busy = errno == EWOULDBLOCK || errno == EINTR;
    if (!is_busy || SteadyNow() >= deadline) {
      const std::string reason = absl::StrCat("its lock: ", SystemError());
      close(file);
      return is_busy ? absl::DeadlineExceededError(reason) : absl::UnavailableError(reason);
    }
    absl::SleepFor(kLockInterval);
  }
  return file;
}

// A part of the files that the process may have open.
size_t MostOpenPacks() {
  constexpr size_t kFewest = 64;
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return kFewest;
  return std::max<size_t>(kFewest, files.rlim_cur / 4);
}

}  // namespace

absl::StatusOr<std::unique_ptr<DiskCache>> DiskCache::Open(std::string directory, Options options) {
  const absl::StatusOr<PruningPolicy> policy = PruningPolicy::Parse(options.pruning_policy);
  if (!policy.ok()) {
    return Annotate(policy.status(),
                    absl::StrCat("object cache policy '", options.pruning_policy, "'"));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(
      std::unique_ptr<CacheDirectory> opened,
      CacheDirectory::Open(std::move(directory), CacheDirectory::Existence::kCreate));
  return std::unique_ptr<DiskCache>(new DiskCache(std::move(opened), *policy, std::move(options)));
}

DiskCache::DiskCache(std::unique_ptr<CacheDirectory> directory, const PruningPolicy& policy,
                     Options options)
    : directory_(std::move(directory)),
      policy_(policy),
      options_(std::move(options)),
      most_open_packs_(MostOpenPacks()),
      process_(ProcessIdentity()) {}

DiskCache::~DiskCache() { Flush(); }

std::string DiskCache::PackName(absl::string_view signature) {
  const auto digest = llvm::BLAKE3::hash<16>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(signature.data()), signature.size()));
  return absl::StrCat(kPackPrefix,
                      absl::BytesToHexString(absl::string_view(
                          reinterpret_cast<const char*>(digest.data()), digest.size())),
                      kPackSuffix);
}

void DiskCache::Warn() {
  if (!options_.warn) return;
  std::vector<std::string> messages;
  {
    absl::MutexLock lock(&mutex_);
    messages.swap(warnings_);
  }
  for (const std::string& message : messages) options_.warn(message);
}

void DiskCache::Reject(Set& set, absl::string_view signature, absl::string_view reason) {
  if (std::exchange(set.has_warned, true)) return;
  warnings_.push_back(absl::StrCat("object cache '", directory_->path(), "/", PackName(signature),
                                   "' is not used: ", reason));
}

std::unique_ptr<Pack> DiskCache::OpenPack(absl::string_view signature, std::string& reason) const {
  absl::StatusOr<std::unique_ptr<Pack>> pack = Pack::Open(directory_->file(), PackName(signature));
  if (pack.ok() && (*pack)->signature() == signature) return *std::move(pack);
  if (pack.ok()) {
    reason = "it was made from something else";
  } else if (!absl::IsNotFound(pack.status())) {
    reason = std::string(pack.status().message());
  }
  return nullptr;
}

DiskCache::Set& DiskCache::SetOf(const ObjectKey& key) {
  auto found = sets_.find(key.signature);
  if (found != sets_.end()) return found->second;
  Set& set = sets_[std::string(key.signature)];
  set.label = std::string(key.module);
  return set;
}

bool DiskCache::IsForkedChild() {
  const uint64_t process = ProcessIdentity();
  if (std::exchange(process_, process) != process) is_forked_child_ = true;
  return is_forked_child_;
}

std::optional<struct stat> DiskCache::StatusOf(absl::string_view signature) const {
  struct stat status;
  if (fstatat(directory_->file(), PackName(signature).c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  return status;
}

bool DiskCache::HasNews(Set& set, absl::string_view signature) {
  const absl::Duration now = SteadyNow();
  if (now < set.next_look) return false;
  set.next_look = now + kLookInterval;
  const std::optional<struct stat> status = StatusOf(signature);
  return status && (set.pack == nullptr || !set.pack->IsFile(*status));
}

bool DiskCache::HasRested(absl::string_view signature) const {
  const std::optional<struct stat> status = StatusOf(signature);
  if (!status) return true;
  const absl::Duration age = absl::Now() - absl::TimeFromTimespec(status->st_mtim);
  return age >= kRestsPerWrite * kTimeOfAByte * status->st_size;
}

std::shared_ptr<const Pack> DiskCache::PackOf(Set& set, const ObjectKey& key) {
  const absl::string_view signature = key.signature;
  // Others may have added it.
  if (ForkCount() != 0 && key.part.ages() && set.is_open &&
      (set.pack == nullptr || set.pack->Find(key.part) == nullptr) && HasNews(set, signature)) {
    ClosePack(set);
  }
  if (!set.is_open) {
    std::string reason;
    ClosePack(set);
    set.is_open = true;
    set.pack = OpenPack(signature, reason);
    set.last_use = ++uses_;
    if (!reason.empty()) Reject(set, signature, reason);
    if (set.pack != nullptr && ++open_packs_ > most_open_packs_) CloseOldest();
  }
  set.last_use = ++uses_;
  return set.pack;
}

void DiskCache::ClosePack(Set& set) {
  set.is_open = false;
  if (set.pack != nullptr) --open_packs_;
  set.pack = nullptr;
}

void DiskCache::CloseOldest() {
  Set* oldest = nullptr;
  for (auto& [signature, set] : sets_) {
    if (set.pack == nullptr) continue;
    if (oldest == nullptr || set.last_use < oldest->last_use) oldest = &set;
  }
  if (oldest != nullptr) ClosePack(*oldest);
}

bool DiskCache::Has(const ObjectKey& key) {
  std::shared_ptr<const Pack> pack;
  {
    absl::MutexLock lock(&mutex_);
    Set& set = SetOf(key);
    if (set.pending_by_part.contains(key.part)) return true;
    pack = PackOf(set, key);
  }
  Warn();
  return pack != nullptr && pack->Find(key.part) != nullptr;
}

std::optional<ObjectCache::Bytes> DiskCache::Find(const ObjectKey& key) {
  absl::StatusOr<std::optional<Bytes>> bytes = Read(key);
  if (absl::IsUnavailable(bytes.status())) {
    {
      absl::MutexLock lock(&mutex_);
      SetOf(key).is_open = false;
    }
    bytes = Read(key);
  }
  if (!bytes.ok()) {
    absl::MutexLock lock(&mutex_);
    Reject(SetOf(key), key.signature, bytes.status().message());
  }
  Warn();
  return bytes.ok() ? *std::move(bytes) : std::nullopt;
}

absl::StatusOr<std::optional<ObjectCache::Bytes>> DiskCache::Read(const ObjectKey& key) {
  std::shared_ptr<const Pack> pack;
  {
    absl::MutexLock lock(&mutex_);
    Set& set = SetOf(key);
    if (auto found = set.pending_by_part.find(key.part); found != set.pending_by_part.end()) {
      return Bytes(set.pending[found->second].bytes);
    }
    pack = PackOf(set, key);
  }
  const Pack::Entry* entry = pack == nullptr ? nullptr : pack->Find(key.part);
  if (entry == nullptr) return std::nullopt;
  FIRSTCALL_ASSIGN_OR_RETURN(Bytes bytes, pack->Read(*entry));
  if (key.part.ages()) {
    absl::MutexLock lock(&mutex_);
    SetOf(key).used.insert(key.part);
  }
  return std::optional<Bytes>(std::move(bytes));
}

void DiskCache::Keep(Bytes bytes, Set& set, NewEntry& entry) {
  if (bytes.size() >= kLarge) {
    entry.large = std::move(bytes);
    entry.bytes = entry.large;
  } else {
    entry.bytes = set.arena.Copy(bytes);
  }
}

void DiskCache::Store(const ObjectKey& key, Bytes object) {
  {
    absl::MutexLock lock(&mutex_);
    Set& set = SetOf(key);
    if (key.part.ages()) set.used.insert(key.part);
    auto [entry, is_new] = set.pending_by_part.try_emplace(key.part, set.pending.size());
    if (is_new) set.pending.emplace_back().part = key.part;
    Keep(std::move(object), set, set.pending[entry->second]);
    const absl::Duration now = SteadyNow();
    oldest_pending_ = std::min(oldest_pending_, now);
    const bool is_due = now >= next_write_ && now - oldest_pending_ >= kWriteAfter;
    if (!is_due && !(key.part.ages() && IsForkedChild() && HasRested(key.signature))) return;
  }
  Write(/*ages=*/false);
}

std::optional<std::string> DiskCache::FindDigest(const FileIdentity& file) {
  return firstcall::FindDigest(directory_->file(), file);
}

void DiskCache::RememberDigest(const FileIdentity& file, absl::string_view digest) {
  firstcall::RememberDigest(directory_->file(), file, digest);
}

void DiskCache::Flush() { Write(/*ages=*/true); }

std::vector<DiskCache::Work> DiskCache::TakePending(bool ages) {
  std::vector<Work> all;
  absl::MutexLock lock(&mutex_);
  for (auto& [signature, set] : sets_) {
    if (set.pending.empty()) continue;
    Work work{signature, set.label, std::exchange(set.pending, {}), std::exchange(set.arena, {}),
              set.used};
    work.ages = ages && !std::exchange(set.has_aged, set.has_aged || ages);
    set.pending_by_part.clear();
    all.push_back(std::move(work));
  }
  oldest_pending_ = absl::InfiniteDuration();
  return all;
}

bool DiskCache::HasPending() {
  absl::MutexLock lock(&mutex_);
  return oldest_pending_ != absl::InfiniteDuration();
}

void DiskCache::Write(bool ages) {
  if (!HasPending()) return;
  const absl::Duration begin = SteadyNow();
  const absl::StatusOr<int> turn =
      Lock(directory_->file(), ages ? kLockBudget : absl::ZeroDuration());
  absl::Status status = turn.status();
  absl::Cleanup end_turn = [&turn] {
    if (turn.ok()) close(*turn);
  };
  if (absl::IsDeadlineExceeded(status) && !ages) {
    // Another time: the program waits for this thread.
    absl::MutexLock lock(&mutex_);
    oldest_pending_ = begin;
    return;
  }
  const absl::Duration turn_begin = SteadyNow();
  const std::vector<Work> all = TakePending(ages);
  for (const Work& work : all) {
    if (!turn.ok()) break;
    absl::Status merged = Merge(work);
    if (status.ok()) status = std::move(merged);
    absl::MutexLock lock(&mutex_);
    ClosePack(sets_[work.signature]);  // The file has been replaced.
  }
  absl::string_view consequence = "objects are not kept";
  if (status.ok()) {
    consequence = "old objects are not removed";
    status = Prune(directory_->file(), policy_);
  }
  {
    absl::MutexLock lock(&mutex_);
    const absl::Duration end = SteadyNow();
    next_write_ = end + kRestsPerWrite * (end - turn_begin);
    if (!status.ok() && options_.warns_of_writing && !std::exchange(is_write_warned_, true)) {
      warnings_.push_back(absl::StrCat("object cache '", directory_->path(), "': ", consequence,
                                       ": ", status.message()));
    }
  }
  Warn();
}

absl::Status DiskCache::Merge(const Work& work) const {
  const int directory = directory_->file();
  const std::string name = PackName(work.signature);
  const std::string new_name = absl::StrCat(kPackPrefix, "new");
  unlinkat(directory, new_name.c_str(), 0);
  const int file =
      openat(directory, new_name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return absl::UnavailableError(SystemError());
  absl::Cleanup close_file = [file] { close(file); };
  absl::Cleanup remove_file = [directory, &new_name] { unlinkat(directory, new_name.c_str(), 0); };

  std::string reason;
  const std::unique_ptr<Pack> old = OpenPack(work.signature, reason);
  std::vector<Pack::Entry> kept;
  if (old != nullptr) kept = old->EntriesInOrder();
  absl::flat_hash_set<ModulePart> replaced;
  for (const NewEntry& entry : work.added) replaced.insert(entry.part);
  PackWriter writer(file, work.label, work.signature, kept.size() + work.added.size());
  for (const Pack::Entry& entry : kept) {
    if (replaced.contains(entry.part)) continue;
    const bool is_used = !entry.part.ages() || work.used.contains(entry.part);
    const uint32_t age = is_used ? 0 : entry.age + (work.ages ? 1 : 0);
    if (age >= kMostUnusedRuns) continue;
    absl::StatusOr<Bytes> bytes = old->Read(entry);
    if (!bytes.ok()) continue;  // A damaged entry is dropped, so that the pack is sound again.
    FIRSTCALL_RETURN_IF_ERROR(writer.Take(entry.part, *std::move(bytes), age));
  }
  for (const NewEntry& entry : work.added) {
    FIRSTCALL_RETURN_IF_ERROR(writer.Add(entry.part, entry.bytes));
  }
  FIRSTCALL_RETURN_IF_ERROR(writer.Finish());
  if (renameat(directory, new_name.c_str(), directory, name.c_str()) != 0) {
    return absl::UnavailableError(SystemError());
  }
  std::move(remove_file).Cancel();
  return absl::OkStatus();
}

}  // namespace firstcall
