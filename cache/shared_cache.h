// A cache that machines share: a server behind a local cache (SharedCacheOptions::front). The local
// cache is asked first, and keeps the objects that come from the server. RedisCache and HttpCache
// are made of this class and an EntryServer.
//
// When an entry of a signature is first missing in the local cache, the server is asked for all
// that a start with this signature needs; for several signatures at once, if they are expected. It
// is not asked for optimized code or a start object only: a start that finds its modules in the
// local cache does without the server. New objects are sent when the cache is flushed. So a start
// costs only a few round trips.
//
// Each entry has a tag (cache/seal.h). With a key, only a process that has the key can have written
// the entry. Without a key, everyone who can write to the server decides what runs here.
//
// If the server is slow, refuses or disappears, it is not used any more, with one warning; the
// local cache continues to work. What is damaged, too large or of somebody else is a miss, with one
// warning. All waiting for the server together takes no longer than the budget.
//
// Thread-safe. Tested in tests/cache/shared_cache_test.cc.

#ifndef FIRSTCALL_CACHE_SHARED_CACHE_H_
#define FIRSTCALL_CACHE_SHARED_CACHE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "cache/entry_server.h"
#include "cache/object_cache.h"
#include "cache/seal.h"

namespace firstcall {

struct SharedCacheOptions {
  // Called once. May use the cache.
  using WarningHandler = std::function<void(absl::string_view message)>;

  std::string key;  // Authenticates entries; empty: the server is trusted.
  // How long this process may wait for the server, in total.
  absl::Duration budget = absl::Seconds(1);
  bool is_read_only = false;                   // Nothing is sent to the server.
  size_t most_entry_bytes = size_t{16} << 20;  // Larger entries are neither sent nor used.
  std::shared_ptr<ObjectCache> front;          // The local cache; may be null.
  WarningHandler warn;                         // May be empty.
};

class SharedCache : public ObjectCache {
 public:
  using WarningHandler = SharedCacheOptions::WarningHandler;

  // The server is connected to when it is first needed.
  SharedCache(SharedCacheOptions options, std::unique_ptr<EntryServer> server);
  // Flushes.
  ~SharedCache() override;

  std::optional<Bytes> Find(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  // Asks the server for what the local cache does not have.
  void Expect(absl::Span<const ObjectKey> keys) override ABSL_LOCKS_EXCLUDED(mutex_);
  // Does not ask the server again.
  bool Has(const ObjectKey& key) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Store(const ObjectKey& key, Bytes object) override ABSL_LOCKS_EXCLUDED(mutex_);
  bool keeps() const override;
  // Those of the local cache: files are a matter of one machine.
  std::optional<std::string> FindDigest(const FileIdentity& file) override;
  void RememberDigest(const FileIdentity& file, absl::string_view digest) override;
  void Flush() override ABSL_LOCKS_EXCLUDED(mutex_);

  // The server's URL, without a password.
  std::string server() const { return server_->ToString(); }

  // Whether the server is not used any more. The warning has said why.
  bool is_lost() ABSL_LOCKS_EXCLUDED(mutex_);

  // What the server has of a signature, sorted, but for what has been found already. Empty if the
  // server has nothing or cannot be used.
  std::vector<ModulePart> PartsOf(absl::string_view signature) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The state of one signature.
  struct Set {
    bool is_local = false;  // Whether the local cache knows the module.
    bool is_asked = false;
    int learned = 0;                         // How many entries of `pending` were fetched alone.
    EntryServer::Entries entries;            // If there is a front, until they are asked for.
    absl::flat_hash_set<ModulePart> others;  // What the server has besides.
    std::vector<EntryServer::NewEntry> pending;
    // The entries that age and that this object has returned or been given.
    absl::flat_hash_set<ModulePart> used;
  };

  Set& SetOf(absl::string_view signature) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Asks the server, once for each signature.
  void Ask(absl::Span<const absl::string_view> signatures) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  struct Fetched {
    std::string sealed;
    bool came_alone = false;  // Not with all that a start needs.
  };
  std::optional<Fetched> Fetch(const ObjectKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Has the server give an entry to later starts at once.
  void Learn(const ObjectKey& key, std::string sealed) ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes what `call`, which gets a timeout, has waited from the budget, and acts on its error.
  // Returns whether there was none. Does not call it if the server is not used any more.
  bool Use(absl::FunctionRef<absl::Status(absl::Duration timeout)> call)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Notes that the local cache has the entry.
  void NoteFound(const ObjectKey& key) ABSL_LOCKS_EXCLUDED(mutex_);
  void Send() ABSL_LOCKS_EXCLUDED(mutex_);
  // For Warn, which calls the handler. `consequence` is "is not used", for example.
  void NoteWarning(absl::string_view consequence, absl::string_view reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Warn() ABSL_LOCKS_EXCLUDED(mutex_);

  const SharedCacheOptions options_;
  const Seal seal_;
  // Held while waiting for the server: threads that need something from it take turns.
  absl::Mutex mutex_;
  const std::unique_ptr<EntryServer> server_;  // Called with mutex_ held, but for ToString.
  absl::flat_hash_map<std::string, Set> sets_ ABSL_GUARDED_BY(mutex_);
  absl::Duration left_ ABSL_GUARDED_BY(mutex_);
  bool is_lost_ ABSL_GUARDED_BY(mutex_) = false;
  bool refuses_entries_ ABSL_GUARDED_BY(mutex_);  // Nothing is sent.
  bool has_warned_ ABSL_GUARDED_BY(mutex_) = false;
  std::string warning_ ABSL_GUARDED_BY(mutex_);  // For the handler; empty if there is none.
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_SHARED_CACHE_H_
