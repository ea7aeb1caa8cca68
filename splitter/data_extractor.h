// Moves a source module's variables and its module-level inline assembly out of a view into the
// data-module, the only module that defines them.
//
// Thread-compatible: hold the view's mutex until the data-module is destroyed.

#ifndef FIRSTCALL_SPLITTER_DATA_EXTRACTOR_H_
#define FIRSTCALL_SPLITTER_DATA_EXTRACTOR_H_

#include <memory>

#include "absl/status/statusor.h"
#include "llvm/IR/Module.h"
#include "seam/compile_questions.h"
#include "seam/symbol_index.h"
#include "splitter/module_view.h"

namespace firstcall {

// Returns the data-module, which lives in the view's context. Call once for a source module. If a
// definition `is_replaced`, references to it go to the definition that overrides it. Unimplemented
// if something cannot be split.
absl::StatusOr<std::unique_ptr<llvm::Module>> ExtractData(ModuleView& view,
                                                          const SymbolIndex& index,
                                                          IsReplaced is_replaced, bool is_far);

// Whether the data-module would define anything that belongs to it alone. (Constants that functions
// have copies of, and its own atexit, do not count.) Hold the view's mutex.
bool HasData(const ModuleView& view, const SymbolIndex& index);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_DATA_EXTRACTOR_H_
