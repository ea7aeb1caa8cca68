// A cache in a directory, with one file, a pack, for each signature (see cache/pack.h).
//
// Objects are written by Flush, and by Store once the oldest object that waits is a second old.
// After a slow write the wait is longer, so that writing takes at most a twentieth of the time. A
// pack gets its name when it is complete; what other processes have written meanwhile is merged
// into it. The writer holds a lock. If a process is killed at any instant, the previous pack
// remains.
//
// Processes that descend from one another by fork exchange entries of parts that age
// (ModulePart::ages) while they run. Many forked children live for less than a second and end
// without a flush (_exit). So a forked child writes what it has when it stores such an entry, if
// the pack was not written for twenty times as long as writing it may take. A process that has
// forked, or was forked, looks for such an entry in a pack that another process has written
// meanwhile.
//
// Entries of parts that age are dropped when they were not used in the last
// kMostUnusedRuns runs that wrote the pack when they flushed. Only a run that has something to
// write changes ages: a run that finds all it needs writes nothing.
//
// Thread-safe; any number of processes may share a directory.

#ifndef FIRSTCALL_CACHE_DISK_CACHE_H_
#define FIRSTCALL_CACHE_DISK_CACHE_H_

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/byte_arena.h"
#include "cache/cache_directory.h"
#include "cache/object_cache.h"
#include "cache/pack.h"
#include "cache/pruning.h"

namespace firstcall {

class DiskCache final : public ObjectCache {
 public:
  // Called, once for each pack, if a pack exists but cannot be used, and once if writing or pruning
  // fails. May use the cache. Threads that use the cache may call it at the same time.
  using WarningHandler = std::function<void(absl::string_view message)>;

  struct Options {
    WarningHandler warn;  // May be empty.
    // Whether `warn` is called when writing or pruning fails.
    bool warns_of_writing = true;
    // When packs are removed, in the syntax of PruningPolicy::Parse. By default, packs
    // that were not used for a week are removed, and the oldest packs if the cache takes more than
    // 75 % of the free space of the disk. The writer checks this, at most every 20 minutes.
    std::string pruning_policy;
  };

  // Creates `directory` if it does not exist. PermissionDenied if it belongs to another user, or
  // others may write to it; Unavailable if it cannot be made or opened; InvalidArgument if the
  // policy cannot be parsed.
  static absl::StatusOr<std::unique_ptr<DiskCache>> Open(std::string directory, Options options);

  // Flushes.
  ~DiskCache() override;

  // After this many writing runs without a use, an entry that ages is dropped.
  static constexpr uint32_t kMostUnusedRuns = 8;

  std::optional<Bytes> Find(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  bool Has(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  // At times writes (see above), which takes as long as the disk does, but does not wait for other
  // processes that write: then the objects are written later.
  void Store(const ObjectKey& key, Bytes object) override ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<std::string> FindDigest(const FileIdentity& file) override;
  void RememberDigest(const FileIdentity& file, absl::string_view digest) override;
  // Waits up to about a second for other processes that write. What cannot be written then is
  // dropped.
  void Flush() override ABSL_LOCKS_EXCLUDED(mutex_);

  // The file name of the pack of `signature`, without the directory.
  static std::string PackName(absl::string_view signature);

 private:
  static constexpr absl::Duration kWriteAfter = absl::Seconds(1);

  // An entry that is to be written.
  struct NewEntry {
    ModulePart part;
    absl::string_view bytes;  // Of `large`, or of the arena.
    Bytes large;
  };
  // The state of one signature.
  struct Set {
    std::string label;
    bool is_open = false;  // Whether `pack` shows the file; if not, Find opens the file first.
    std::shared_ptr<const Pack> pack;  // Null if there is no pack that can be used.
    uint64_t last_use = 0;
    std::vector<NewEntry> pending;  // In the order in which they were stored.
    ByteArena arena;                // Has the bytes of those that are not large.
    absl::flat_hash_map<ModulePart, size_t> pending_by_part;
    bool has_warned = false;
    // The entries that age and that this object has returned or been given.
    absl::flat_hash_set<ModulePart> used;
    bool has_aged = false;  // Whether this object has changed the ages of the entries.
    // When HasNews looks again, as SteadyNow.
    absl::Duration next_look = absl::ZeroDuration();
  };
  // What is to be written into the pack of one signature.
  struct Work {
    std::string signature, label;
    std::vector<NewEntry> added;
    ByteArena arena;                       // See Set.
    absl::flat_hash_set<ModulePart> used;  // See Set.
    bool ages = false;                     // Whether entries that are not in `used` get older.
  };

  DiskCache(std::unique_ptr<CacheDirectory> directory, const PruningPolicy& policy,
            Options options);

  Set& SetOf(const ObjectKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Notes once for each signature, for Warn, that its pack cannot be used.
  void Reject(Set& set, absl::string_view signature, absl::string_view reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Null if there is no pack that can be used; `reason` is set unless the file does not exist.
  std::unique_ptr<Pack> OpenPack(absl::string_view signature, std::string& reason) const;
  // Whether this process was forked after it, or an ancestor, had opened the cache.
  bool IsForkedChild() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Of the pack that the directory has now; nullopt if it has none.
  std::optional<struct stat> StatusOf(absl::string_view signature) const;
  // Whether another process has replaced the pack of `set` since it was opened. False if that was
  // asked a moment ago.
  bool HasNews(Set& set, absl::string_view signature) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether no process has written the pack for twenty times as long as that may have taken.
  bool HasRested(absl::string_view signature) const;
  // Opens the pack of `set`, unless that was tried since the file was last replaced, by this
  // process or, if relatives of the process may have added `key`, by another one. Null if there is
  // no pack that can be used.
  std::shared_ptr<const Pack> PackOf(Set& set, const ObjectKey& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ClosePack(Set& set) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Closes the pack that was not used for longest, if there are too many. A later Find opens it.
  void CloseOldest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // As Find. Fails as Pack::Read does.
  absl::StatusOr<std::optional<Bytes>> Read(const ObjectKey& key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Keeps the bytes of an entry until it is written.
  static void Keep(Bytes bytes, Set& set, NewEntry& entry);
  // Takes what is to be written. `ages` is set for a flush at the end of a run.
  std::vector<Work> TakePending(bool ages) ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasPending() ABSL_LOCKS_EXCLUDED(mutex_);
  // Writes what was stored: at the end of a run, which `ages` says, as Flush does; otherwise unless
  // another process writes.
  void Write(bool ages) ABSL_LOCKS_EXCLUDED(mutex_);
  // Replaces the pack by one with the new entries. The caller holds the lock.
  absl::Status Merge(const Work& work) const;
  // Calls the handler for what was noted.
  void Warn() ABSL_LOCKS_EXCLUDED(mutex_);

  const std::unique_ptr<CacheDirectory> directory_;
  const PruningPolicy policy_;
  const Options options_;
  const size_t most_open_packs_;  // Each is an open file of the process.
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Set> sets_ ABSL_GUARDED_BY(mutex_);
  size_t open_packs_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t uses_ ABSL_GUARDED_BY(mutex_) = 0;
  // When it was stored; infinite if there is nothing. Of SteadyNow.
  absl::Duration oldest_pending_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteDuration();
  // When this process may write again before the end, as SteadyNow.
  absl::Duration next_write_ ABSL_GUARDED_BY(mutex_) = absl::ZeroDuration();
  uint64_t process_ ABSL_GUARDED_BY(mutex_);  // ProcessIdentity.
  bool is_forked_child_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_write_warned_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::string> warnings_ ABSL_GUARDED_BY(mutex_);  // For the handler.
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_DISK_CACHE_H_
