// A source module as the compiler half keeps it: its IR, and the index of its symbols.
//
// Constant after construction, except for the source, which synchronizes itself. Tested in
// tests/api/removal_test.cc.

#ifndef FIRSTCALL_COMPILER_LOADED_MODULE_H_
#define FIRSTCALL_COMPILER_LOADED_MODULE_H_

#include <memory>
#include <utility>

#include "base/ids.h"
#include "seam/symbol_index.h"
#include "splitter/module_source.h"

namespace firstcall {

class LoadedModule {
 public:
  LoadedModule(ModuleId id, std::unique_ptr<ModuleSource> source,
               std::shared_ptr<const SymbolIndex> index)
      : id_(id), source_(std::move(source)), index_(std::move(index)) {}

  ModuleId id() const { return id_; }
  ModuleSource& source() const { return *source_; }
  const SymbolIndex& index() const { return *index_; }

 private:
  const ModuleId id_;
  const std::unique_ptr<ModuleSource> source_;
  const std::shared_ptr<const SymbolIndex> index_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_LOADED_MODULE_H_
