// Builds the index of a source module's symbols from a view of the module.

#ifndef FIRSTCALL_SPLITTER_SYMBOL_INDEX_BUILDER_H_
#define FIRSTCALL_SPLITTER_SYMBOL_INDEX_BUILDER_H_

#include "absl/status/statusor.h"
#include "seam/symbol_index.h"
#include "splitter/module_view.h"

namespace firstcall {

// Builds the index of `view`'s module. Takes time proportional to the number of symbols, and for
// a module given in memory also to the number of its basic blocks and of its functions' uses. A
// module with inline assembly must have the triple of a target whose assembly parser is
// initialized. Unimplemented, with the symbol's name, if something cannot be split.
// Thread-compatible: hold the view's mutex.
absl::StatusOr<SymbolIndex> BuildSymbolIndex(const ModuleView& view);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_SYMBOL_INDEX_BUILDER_H_
