// Makes a source module ready to be compiled as a whole, which is the eager mode.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_WHOLE_MODULE_H_
#define FIRSTCALL_SPLITTER_WHOLE_MODULE_H_

#include "absl/status/status.h"
#include "splitter/data_extractor.h"
#include "splitter/module_view.h"
#include "splitter/symbol_index.h"

namespace firstcall {

// Changes the view's module in place: materializes every body, and verifies it if `verify`; turns
// definitions that `is_replaced` into declarations, but inlines what must always be inlined first;
// gives the functions named by the index's constructors and destructors their Symbol::name, and
// leaves calling them to the engine; ifuncs may become functions, and the view must not be asked
// for them any more. InvalidArgument, naming the function, for bitcode that is damaged or not valid
// IR.
absl::Status PrepareWholeModule(ModuleView& view, const SymbolIndex& index, bool verify,
                                IsReplaced is_replaced);

// Whether `module` has inline assembly, its own or in a function, which may name any symbol.
bool HasInlineAssembly(const llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_WHOLE_MODULE_H_
