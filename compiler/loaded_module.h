// A source module as the compiler half keeps it: its IR, and the index of its symbols.
//
// Constant after construction, except for the source, the facts and the sizes, which synchronize
// themselves. Tested in tests/compiler/loaded_module_test.cc and tests/api/removal_test.cc.

#ifndef FIRSTCALL_COMPILER_LOADED_MODULE_H_
#define FIRSTCALL_COMPILER_LOADED_MODULE_H_

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "seam/symbol_index.h"
#include "splitter/body_sizes.h"
#include "splitter/function_facts.h"
#include "splitter/module_source.h"
#include "splitter/module_view.h"

namespace firstcall {

class LoadedModule {
 public:
  LoadedModule(ModuleId id, std::unique_ptr<ModuleSource> source,
               std::shared_ptr<const SymbolIndex> index)
      : id_(id), source_(std::move(source)), index_(std::move(index)) {}

  ModuleId id() const { return id_; }
  ModuleSource& source() const { return *source_; }
  const SymbolIndex& index() const { return *index_; }
  FunctionFacts& facts() { return facts_; }
  BodySizes& sizes() { return sizes_; }

  // A view of the source, as ModuleSource::OpenView. The index may have been made without LLVM, or
  // come from a cache. InvalidArgument if the view has fewer symbols, or other kinds of symbols:
  // then ordinals would mean other symbols than those that were asked for. (Functions that LLVM has
  // added to the module come behind those that the index knows.)
  absl::StatusOr<std::shared_ptr<ModuleView>> OpenView() const;

 private:
  const ModuleId id_;
  const std::unique_ptr<ModuleSource> source_;
  const std::shared_ptr<const SymbolIndex> index_;
  FunctionFacts facts_;
  BodySizes sizes_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_LOADED_MODULE_H_
