// Moves a source module's variables, and its module-level inline assembly, out of a view into the
// data-module: the one place where they are defined.
//
// Thread-compatible: hold the view's mutex until the data-module is destroyed.

#ifndef FIRSTCALL_SPLITTER_DATA_EXTRACTOR_H_
#define FIRSTCALL_SPLITTER_DATA_EXTRACTOR_H_

#include <memory>

#include "absl/status/statusor.h"
#include "llvm/IR/Module.h"
#include "splitter/module_view.h"
#include "splitter/symbol_index.h"

namespace firstcall {

// The data-module; call it once for a source module. It lives in the view's context. References to
// a definition that `is_replaced` go to whatever has replaced it.
absl::StatusOr<std::unique_ptr<llvm::Module>> ExtractData(ModuleView& view,
                                                          const SymbolIndex& index,
                                                          IsReplaced is_replaced, bool is_far);

// Whether there is anything for the data-module to define. Hold the view's mutex.
bool HasData(const ModuleView& view, const SymbolIndex& index);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_DATA_EXTRACTOR_H_
