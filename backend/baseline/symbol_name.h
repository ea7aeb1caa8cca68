// The symbols of IR globals in objects: their names and their visibility.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_BACKEND_BASELINE_SYMBOL_NAME_H_
#define FIRSTCALL_BACKEND_BASELINE_SYMBOL_NAME_H_

#include "absl/strings/string_view.h"
#include "ir/data_layout.h"
#include "ir/global.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {

// The name of `global` without IR's mark (\1) for names that the target's mangling must not change.
// The module must have a data layout. If objects are Mach-O, a marked name also loses its leading
// underscore, because unmarked names do not have the underscore yet.
absl::string_view SymbolNameOf(const ir::Global& global, const ir::DataLayout& layout);

// The visibility of its symbol.
SymbolVisibility VisibilityOf(const ir::Global& global);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_SYMBOL_NAME_H_
