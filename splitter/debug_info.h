// Debug information for the pieces into which a source module is split: a function's line table and
// variables go with the function, global variables with the data-module. If nobody asks for debug
// information (seam/debug_info.h), it is dropped instead.
//
// A compile unit lists what its whole module declares, and the code generator emits the lists of
// every unit that llvm.dbg.cu names. So llvm.dbg.cu of a function-module names a unit with empty
// lists. The functions' own unit is emitted, too, because the functions refer to it, but without
// its lists. (Its imported declarations and macros would be emitted: ModuleView::ReadMetadata
// removes them.)
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/debug_info_test.cc and
// function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_DEBUG_INFO_H_
#define FIRSTCALL_SPLITTER_DEBUG_INFO_H_

#include "splitter/module_view.h"

namespace llvm {
class Function;
class GlobalVariable;
class Module;
}  // namespace llvm

namespace firstcall {

// Makes the code generator emit the debug information of `function`, which was moved from `view` to
// another module. The function `may_be_dropped` again before code is generated if it is there only
// to be inlined. Takes time proportional to the function; none without debug information.
void CarryDebugInfo(ModuleView& view, llvm::Function& function, bool may_be_dropped);

// Makes the code generator emit the debug information of the view's variables with `data_module`.
void CarryDebugInfoOfVariables(ModuleView& view, llvm::Module& data_module);

// Drops the debug information of `function`, whose body need not be verified yet. Afterwards the
// function is as one that never had any, but for the locations of loops in !llvm.loop, which
// nothing but LLVM's remarks refers to. Does nothing to a function without a DISubprogram: no code
// depends on locations that are left there.
void DropDebugInfo(llvm::Function& function);

// Keeps the lines of `function`, whose body need not be verified yet, and drops the rest of its
// debug information: variables, types, and where code was inlined. The code of a callee that was
// inlined keeps the callee's file and lines. Afterwards nothing leads from the function to the
// debug information of its module, so that copying and verifying the function takes time in
// proportion to the function. Does nothing to a function without a DISubprogram, nor a second time.
void ReduceToLines(llvm::Function& function);

// Drops the debug information of `variable`.
void DropDebugInfo(llvm::GlobalVariable& variable);

// The same for all functions and variables of `module`, whose bodies have been read. The code
// generator then takes the module for one without debug information.
void DropDebugInfo(llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_DEBUG_INFO_H_
