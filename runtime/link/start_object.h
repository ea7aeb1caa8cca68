// The start object of a source module: one relocatable object, in the module's cache, with the
// first bodies that its runs have used. A later start links it when the first of these functions is
// called, which is several times cheaper than linking each function's own object.
//
// The objects of the functions stay in the cache: another run may need only some of them, or other
// weak definitions may give way then.
//
// A module has another start object for runs to which a debugger listens, of functions that were
// compiled in such runs.
//
// Thread-safe. Tested in tests/api/start_object_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_START_OBJECT_H_
#define FIRSTCALL_RUNTIME_LINK_START_OBJECT_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "cache/object_cache.h"
#include "runtime/link/cached_object.h"
#include "runtime/link/module_cache.h"
#include "seam/compile_questions.h"

namespace firstcall {

class StartObject {
 public:
  // Made of objects of the kind `functions`: kFunction or kDebuggerFunction. `cache`, for a module
  // of `symbol_count` symbols, must outlive this.
  StartObject(ModulePart::Kind functions, ModuleCache& cache, size_t symbol_count)
      : functions_(functions), cache_(cache), symbol_count_(symbol_count) {}
  StartObject(const StartObject&) = delete;
  StartObject& operator=(const StartObject&) = delete;

  // Returns the start object if it defines `function`, at the first call for such a function.
  std::optional<CachedObject> TakeFor(SymbolOrdinal function) ABSL_LOCKS_EXCLUDED(mutex_);

  // Notes that this run has used the object that the cache has for `function`.
  void NoteUsed(SymbolOrdinal function) ABSL_LOCKS_EXCLUDED(mutex_);

  // Adds the functions that were noted to the start object in the cache, or makes a new one of them
  // if other weak definitions gave way when it was made. Does nothing if they are too few to make a
  // difference. Takes time in proportion to the objects' sizes.
  void Store(IsReplaced is_replaced) ABSL_LOCKS_EXCLUDED(mutex_);

  // The same if it is known only for some definitions, those in `known`, whether they give way.
  // Leaves out what contradicts that, the start object in the cache, or an earlier function.
  void Store(absl::flat_hash_map<SymbolOrdinal, bool> known) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  ModulePart part() const;
  void StoreWhere(absl::FunctionRef<bool(const Decisions& decisions)> hold)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const ModulePart::Kind functions_;
  ModuleCache& cache_;
  const size_t symbol_count_;
  absl::Mutex mutex_;
  bool is_read_ ABSL_GUARDED_BY(mutex_) = false;
  // The start object that was read from the cache and not taken yet.
  std::optional<CachedObject> waiting_ ABSL_GUARDED_BY(mutex_);
  std::vector<SymbolOrdinal> used_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_START_OBJECT_H_
