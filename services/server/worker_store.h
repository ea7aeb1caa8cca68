// The code that a worker of a compile server has made, for the server to keep. For each module of a
// client with a cache: the entries that the client's cache would get, and the start object
// (runtime/link/start_object).
//
// Thread-safe. No lock is held while the server is asked or packs are made, because the client
// waits for the threads that call Keep. Tested in tests/services/server/worker_store_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_WORKER_STORE_H_
#define FIRSTCALL_SERVICES_SERVER_WORKER_STORE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "cache/object_cache.h"
#include "runtime/link/cached_object.h"
#include "seam/compiler.h"
#include "seam/symbol_index.h"
#include "services/server/object_pack.h"
#include "services/server/seam_coding.h"

namespace firstcall {

class WorkerStore {
 public:
  // To be called when the worker gets a module.
  void Add(ModuleId module, std::shared_ptr<const SymbolIndex> index) ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(ModuleId module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Keeps the code that was compiled for an order. Does nothing if the client has no cache.
  // `joined`: the functions that may_join has accepted.
  void Keep(const OrderValues& order, const CompiledFunction& function, Decisions decisions,
            const std::vector<SymbolOrdinal>& joined) ABSL_LOCKS_EXCLUDED(mutex_);
  void KeepData(const OrderValues& order, const CompiledObject& object, Decisions decisions)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void KeepEntryPoint(ModuleId module, SymbolOrdinal function, const EntryPoint& entry)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether an entry was kept since the last Take.
  bool has_news() const ABSL_LOCKS_EXCLUDED(mutex_);

  // A pack of the server, and its number (services/server/known_modules).
  struct ServersPack {
    uint64_t number = 0;
    ObjectPack pack;
  };
  // Returns the server's pack for a signature; nothing if the server has none, or if the pack has
  // the number `last`.
  using AskServer =
      absl::FunctionRef<std::optional<ServersPack>(absl::string_view signature, uint64_t last)>;

  struct News {
    ModuleId module;
    std::string signature;
    std::string pack;
  };
  // Returns a pack for each module with new entries: all entries of the module, and those of the
  // server's pack. Only one thread at a time may call this and NotePublished.
  std::vector<News> Take(AskServer ask) ABSL_LOCKS_EXCLUDED(mutex_);

  // The server has kept `news`, as the pack with this number.
  void NotePublished(const News& news, uint64_t number) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Entries are never changed, so packs can be made of them while other threads keep further
  // entries.
  using Entry = std::shared_ptr<const std::string>;
  using Entries = std::map<ModulePart, Entry>;
  struct Module {
    std::shared_ptr<const SymbolIndex> index;
    std::string signature;  // Empty until the first order.
    Entries entries;
    std::vector<SymbolOrdinal> used;  // Functions that have objects of their own.
    // Whether a weak definition gives way in this client; only those that were asked about.
    absl::flat_hash_map<SymbolOrdinal, bool> decided;
    uint64_t last_pack = 0;  // The number of the server's pack that `entries` include.
    bool has_news = false;
  };
  // Copies of modules that have news.
  std::vector<std::pair<ModuleId, Module>> CopyChanged() ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives a module the entries that it does not have yet.
  void Merge(ModuleId id, const Module& more) ABSL_LOCKS_EXCLUDED(mutex_);
  class EntriesCache;

  // Returns the module of an order that has an identification, and notes that the module has news.
  // Null if the module was removed, or has another signature.
  Module* ModuleFor(const OrderValues& order, const Decisions& decisions)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void AddStartObject(Module& module);

  mutable absl::Mutex mutex_;
  std::map<ModuleId, Module> modules_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_WORKER_STORE_H_
