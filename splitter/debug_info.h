// Debug information of the pieces a source module is split into: line tables and variables of a
// function go with it, global variables with the data-module.
//
// A compile unit lists what its whole module declares, and the code generator writes down the lists
// of every unit that a module names. So function-modules name a unit that lists nothing; the
// functions' own unit is written because they refer to it, without its lists (but see
// ModuleView::ReadMetadata).
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_DEBUG_INFO_H_
#define FIRSTCALL_SPLITTER_DEBUG_INFO_H_

#include "splitter/module_view.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace firstcall {

// Lets the code generator write the debug information of `function`, which was moved from `view` to
// another module. Takes time in proportion to the function; none if it has no debug information.
void CarryDebugInfo(ModuleView& view, llvm::Function& function);

// Lets the code generator write the debug information of the view's variables with `data_module`.
void CarryDebugInfoOfVariables(ModuleView& view, llvm::Module& data_module);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_DEBUG_INFO_H_
