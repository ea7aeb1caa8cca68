// Finds functions and variables that must be in one object for another reason than the address of a
// block (see splitter/block_addresses.h):
//  - If a function reaches the frame of another function (llvm.localrecover), it finds the places
//    of the other function's variables (llvm.localescape) by names that are known only in one
//    object.
//  - The code generator writes a table into an object, with entries of the object's functions. If
//    the module names the table, the table has to have the entries of all the module's functions:
//    the stack map (`__LLVM_StackMaps`) and the map of implicit null checks (`__LLVM_FaultMaps`),
//    and sections that are found by their bounds (`__start_SECTION`, `__stop_SECTION`): places to
//    patch, what `!pcsections` names, and what assembly in functions writes into a section.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/symbol_index_builder_test.cc.

#ifndef FIRSTCALL_SPLITTER_OBJECT_TIES_H_
#define FIRSTCALL_SPLITTER_OBJECT_TIES_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "llvm/ADT/StringRef.h"
#include "splitter/module_view.h"

namespace llvm {
class GlobalValue;
}  // namespace llvm

namespace firstcall {

// Calls `tie` for pairs of definitions of the view's module that must be in one object: directly or
// through other pairs, all of these definitions are connected. Reads all bodies if the module's
// declarations say that there may be such a pair, and otherwise none. InvalidArgument, with the
// name of the function, if a body cannot be read.
absl::Status FindObjectTies(
    const ModuleView& view,
    absl::FunctionRef<void(const llvm::GlobalValue&, const llvm::GlobalValue&)> tie);

// The same for the section `name` of variables, if the module itself names its bounds: these can be
// found only if the whole section, and all that names them, is in one object. Called if one of the
// variables cannot be in the object of the module's data.
absl::Status FindTiesOfSection(
    const ModuleView& view, llvm::StringRef name,
    absl::FunctionRef<void(const llvm::GlobalValue&, const llvm::GlobalValue&)> tie);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OBJECT_TIES_H_
