// Prepares a source module for being compiled as a whole, in eager mode.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_WHOLE_MODULE_H_
#define FIRSTCALL_SPLITTER_WHOLE_MODULE_H_

#include "absl/status/status.h"
#include "seam/compile_questions.h"
#include "seam/symbol_index.h"
#include "splitter/data_extractor.h"
#include "splitter/module_view.h"

namespace firstcall {

// Changes the view's module in place:
//  - materializes every body, and verifies it if `verify`;
//  - inlines what must always be inlined, then turns definitions that `is_replaced` into
//    declarations;
//  - gives the index's constructors and destructors their Symbol::name; the engine calls them;
//  - turns ifuncs into functions, so the view must not be asked for ifuncs any more.
// InvalidArgument, with the function's name, for bitcode that is damaged or not valid IR.
absl::Status PrepareWholeModule(ModuleView& view, const SymbolIndex& index, bool verify,
                                IsReplaced is_replaced);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_WHOLE_MODULE_H_
