// What a worker of a compile server has made, for the server to keep: for each module that a client
// with a cache has added, the entries that the client's cache would get, and the start object
// (runtime/start_object).
//
// Thread-safe. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_REMOTE_WORKER_STORE_H_
#define FIRSTCALL_REMOTE_WORKER_STORE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "cache/object_cache.h"
#include "code/symbol_index.h"
#include "remote/object_pack.h"
#include "remote/seam_coding.h"
#include "runtime/cached_object.h"
#include "runtime/compiler.h"

namespace firstcall {

class WorkerStore {
 public:
  // A module that was added.
  void Add(ModuleId module, std::shared_ptr<const SymbolIndex> index) ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(ModuleId module) ABSL_LOCKS_EXCLUDED(mutex_);

  // What was compiled for an order. Does nothing if the client has no cache. `joined`: the
  // functions that may_join has claimed.
  void Keep(const OrderValues& order, const CompiledFunction& function, Decisions decisions,
            const std::vector<SymbolOrdinal>& joined) ABSL_LOCKS_EXCLUDED(mutex_);
  void KeepData(const OrderValues& order, const CompiledObject& object, Decisions decisions)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void KeepEntryPoint(ModuleId module, SymbolOrdinal function, const EntryPoint& entry)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether something was kept since the last Take.
  bool has_news() const ABSL_LOCKS_EXCLUDED(mutex_);

  struct News {
    ModuleId module;
    std::string signature;
    std::string pack;
  };
  // Packs of all entries of the modules that have new ones. `known` returns what the server has for
  // a signature already, or null.
  std::vector<News> Take(
      absl::FunctionRef<std::unique_ptr<ObjectPack>(absl::string_view signature)> known)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Entries = std::map<ModulePart, std::string>;
  struct Module {
    std::shared_ptr<const SymbolIndex> index;
    std::string signature;  // Empty until an order has told it.
    Entries entries;
    std::vector<SymbolOrdinal> used;  // Functions that have objects of their own.
    bool has_news = false;
  };
  Module* ModuleFor(const OrderValues& order, ModulePart part)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void AddStartObject(Module& module);

  mutable absl::Mutex mutex_;
  std::map<ModuleId, Module> modules_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_WORKER_STORE_H_
