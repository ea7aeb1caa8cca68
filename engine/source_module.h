// What an engine keeps of one source module for as long as it has it.
//
// Constant after construction, except for object(), which synchronizes itself.

#ifndef FIRSTCALL_ENGINE_SOURCE_MODULE_H_
#define FIRSTCALL_ENGINE_SOURCE_MODULE_H_

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

class SourceModule {
 public:
  SourceModule(ModuleId id, LibraryId library, Mode mode, std::unique_ptr<ModuleSource> source,
               SymbolIndex index, DsoHandle& dso_handle, std::unique_ptr<ModuleCache> cache)
      : id_(id),
        mode_(mode),
        source_(std::move(source)),
        index_(std::move(index)),
        cache_(std::move(cache)),
        object_(source_->name(), this, library, dso_handle) {}

  ModuleId id() const { return id_; }
  LibraryId library() const { return object_.library; }
  Mode mode() const { return mode_; }
  const std::string& name() const { return source_->name(); }
  ModuleSource& source() const { return *source_; }
  const SymbolIndex& index() const { return index_; }

  // Where its objects are kept; null if nowhere.
  ModuleCache* cache() const { return cache_.get(); }

  // The data-module; in eager mode the whole module.
  LazyObject& object() { return object_; }

 private:
  const ModuleId id_;
  const Mode mode_;
  const std::unique_ptr<ModuleSource> source_;
  const SymbolIndex index_;
  const std::unique_ptr<ModuleCache> cache_;
  LazyObject object_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_SOURCE_MODULE_H_
