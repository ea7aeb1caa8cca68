// A cache in a directory: one file, a pack, for each signature (see cache/pack.h).
//
// What is stored is written when the cache is flushed, or with the first object that is stored a
// second after the oldest that is still to be written. A pack appears under its name when it is
// complete, with what other processes have written meanwhile merged in; who writes holds a lock.
// A process that is killed at any instant leaves the pack of before.
//
// Thread-safe; any number of processes may share a directory.

#ifndef FIRSTCALL_CACHE_DISK_CACHE_H_
#define FIRSTCALL_CACHE_DISK_CACHE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cache/cache_directory.h"
#include "cache/object_cache.h"
#include "cache/pack.h"

namespace firstcall {

class DiskCache final : public ObjectCache {
 public:
  // Told what was there and could not be used, once for each pack, or could not be written.
  using WarningHandler = std::function<void(absl::string_view message)>;

  struct Options {
    WarningHandler warn;  // May be empty.
    // When packs are removed, in the words of LLVM's parseCachePruningPolicy: by default those that
    // nobody has used for a week, and the oldest of more than 75 % of the disk's free space; looked
    // after at most every 20 minutes, by whoever has written.
    std::string pruning_policy;
  };

  // `directory` is created if it is not there; errors as CacheDirectory::Open, and InvalidArgument
  // if the policy cannot be read.
  static absl::StatusOr<std::unique_ptr<DiskCache>> Open(std::string directory, Options options);

  // Flushes.
  ~DiskCache() override;

  std::optional<Bytes> Find(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Store(const ObjectKey& key, absl::string_view object) override ABSL_LOCKS_EXCLUDED(mutex_);
  // Blocks for at most about a second on other processes that write; what cannot be written then is
  // given up.
  void Flush() override ABSL_LOCKS_EXCLUDED(mutex_);

  // The name of the pack of `signature`, without the directory.
  static std::string PackName(absl::string_view signature);

 private:
  struct NewEntry {
    ModulePart part;
    std::string bytes;
  };
  // What is known of one signature.
  struct Set {
    std::string label;
    bool is_open = false;  // Whether `pack` is what there was when it was first asked for.
    std::shared_ptr<const Pack> pack;  // Null if there is none that can be used.
    std::vector<NewEntry> pending;     // In the order they were stored.
    absl::flat_hash_map<ModulePart, size_t> pending_by_part;
    bool has_warned = false;
  };

  DiskCache(std::unique_ptr<CacheDirectory> directory, Options options);

  Set& SetOf(const ObjectKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Says once for each signature that its pack is of no use.
  void Reject(Set& set, absl::string_view signature, absl::string_view reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Null, with a reason unless there is no such file.
  std::unique_ptr<Pack> OpenPack(absl::string_view signature, std::string& reason) const;
  // Writes another pack. Hold the lock.
  absl::Status Merge(absl::string_view signature, absl::string_view label,
                     const std::vector<NewEntry>& added) const;
  void Warn(absl::string_view message) const;

  const std::unique_ptr<CacheDirectory> directory_;
  const Options options_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Set> sets_ ABSL_GUARDED_BY(mutex_);
  absl::Time oldest_pending_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  bool is_write_warned_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_DISK_CACHE_H_
