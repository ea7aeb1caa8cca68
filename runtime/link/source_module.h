// What an engine keeps about one source module as long as it has the module.
//
// Constant after construction, with these exceptions: object(), labels(), weak_choices() and the
// count of compiled functions synchronize themselves; is_removed() is guarded by WorkScopes. Tested
// in tests/api/removal_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_SOURCE_MODULE_H_
#define FIRSTCALL_RUNTIME_LINK_SOURCE_MODULE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/ids.h"
#include "runtime/link/label_table.h"
#include "runtime/link/lazy_object.h"
#include "runtime/link/module_cache.h"
#include "runtime/link/start_object.h"
#include "runtime/link/weak_choices.h"
#include "seam/options.h"
#include "seam/symbol_index.h"

namespace firstcall {

class SourceModule : public std::enable_shared_from_this<SourceModule> {
 public:
  // With `is_far` the module's code reaches everything through the offset table, so it may lie
  // anywhere. `is_reopenable` tells whether the compiler can read every body again. `cache` may be
  // null.
  SourceModule(ModuleId id, std::string name, LibraryId library, Mode mode, bool is_far,
               bool is_reopenable, std::shared_ptr<const SymbolIndex> index,
               std::unique_ptr<OwnedCode> code, DsoHandle& dso_handle,
               std::unique_ptr<ModuleCache> cache)
      : id_(id),
        mode_(mode),
        is_far_(is_far),
        is_reopenable_(is_reopenable),
        index_(std::move(index)),
        cache_(std::move(cache)),
        object_(std::move(name), this, library, std::move(code), dso_handle) {
    if (cache_ == nullptr) return;
    start_object_.emplace(ModulePart::Kind::kFunction, *cache_, index_->size());
    debugger_start_object_.emplace(ModulePart::Kind::kDebuggerFunction, *cache_, index_->size());
  }

  ModuleId id() const { return id_; }
  LibraryId library() const { return object_.library; }
  Mode mode() const { return mode_; }
  bool is_far() const { return is_far_; }
  bool is_reopenable() const { return is_reopenable_; }
  const std::string& name() const { return object_.name; }
  const SymbolIndex& index() const { return *index_; }

  // The cache for its objects; null if there is none.
  ModuleCache* cache() const { return cache_.get(); }
  // The start object of functions of this kind, kFunction or kDebuggerFunction. Requires a cache.
  StartObject& start_object(ModulePart::Kind functions) {
    return functions == ModulePart::Kind::kDebuggerFunction ? *debugger_start_object_
                                                            : *start_object_;
  }

  // The data-module, or in eager mode the whole module.
  LazyObject& object() { return object_; }

  // Labels that functions define by inline assembly.
  LabelTable& labels() { return labels_; }

  // What the module's weak definitions mean in it.
  WeakChoices& weak_choices() const { return weak_choices_; }

  // Adds `count` compiled functions. Returns whether all functions are compiled now.
  bool CountCompiled(size_t count) {
    return compiled_.fetch_add(count, std::memory_order_relaxed) + count ==
           index_->function_count();
  }

  // Whether the module was removed or detached; only jobs that came too late still use it. Read
  // it in a WorkScope; it is written in an ExclusiveWorkScope.
  bool is_removed() const { return is_removed_; }
  void SetRemoved() { is_removed_ = true; }

 private:
  const ModuleId id_;
  const Mode mode_;
  const bool is_far_;
  const bool is_reopenable_;
  const std::shared_ptr<const SymbolIndex> index_;
  const std::unique_ptr<ModuleCache> cache_;
  std::optional<StartObject> start_object_;  // Only if there is a cache.
  std::optional<StartObject> debugger_start_object_;
  LazyObject object_;
  LabelTable labels_;
  mutable WeakChoices weak_choices_;
  std::atomic<size_t> compiled_{0};
  bool is_removed_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_SOURCE_MODULE_H_
