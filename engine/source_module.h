// What an engine keeps of one source module for as long as it has it.
//
// Constant after construction, except for object() and what is counted, which synchronize
// themselves.

#ifndef FIRSTCALL_ENGINE_SOURCE_MODULE_H_
#define FIRSTCALL_ENGINE_SOURCE_MODULE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/ids.h"
#include "engine/lazy_object.h"
#include "engine/module_cache.h"
#include "engine/options.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index.h"

namespace firstcall {

class SourceModule : public std::enable_shared_from_this<SourceModule> {
 public:
  // A far one is compiled so that it can do without being near anything. `cache` may be null.
  SourceModule(ModuleId id, LibraryId library, Mode mode, bool is_far,
               std::unique_ptr<ModuleSource> source, SymbolIndex index,
               std::unique_ptr<OwnedCode> code, DsoHandle& dso_handle,
               std::unique_ptr<ModuleCache> cache)
      : id_(id),
        mode_(mode),
        is_far_(is_far),
        source_(std::move(source)),
        index_(std::move(index)),
        cache_(std::move(cache)),
        object_(source_->name(), this, library, std::move(code), dso_handle) {}

  ModuleId id() const { return id_; }
  LibraryId library() const { return object_.library; }
  Mode mode() const { return mode_; }
  bool is_far() const { return is_far_; }
  const std::string& name() const { return source_->name(); }
  ModuleSource& source() const { return *source_; }
  const SymbolIndex& index() const { return index_; }

  // Where its objects are kept; null if nowhere.
  ModuleCache* cache() const { return cache_.get(); }

  // The data-module; in eager mode the whole module.
  LazyObject& object() { return object_; }

  // Notes that so many more functions are compiled; whether those were the last ones.
  bool CountCompiled(size_t count) {
    return compiled_.fetch_add(count, std::memory_order_relaxed) + count == index_.function_count();
  }

  // The engine has forgotten it: only jobs that came too late have it in hand. Written with all
  // other work stopped.
  bool is_removed() const { return is_removed_; }
  void SetRemoved() { is_removed_ = true; }

 private:
  const ModuleId id_;
  const Mode mode_;
  const bool is_far_;
  const std::unique_ptr<ModuleSource> source_;
  const SymbolIndex index_;
  const std::unique_ptr<ModuleCache> cache_;
  LazyObject object_;
  std::atomic<size_t> compiled_{0};
  bool is_removed_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_SOURCE_MODULE_H_
