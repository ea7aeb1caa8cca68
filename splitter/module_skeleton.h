// The parts that making a function-module and making a data-module have in common.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_MODULE_SKELETON_H_
#define FIRSTCALL_SPLITTER_MODULE_SKELETON_H_

#include <memory>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "splitter/module_view.h"
#include "splitter/reference_mapper.h"

namespace firstcall {

// An empty module in the view's context with its triple, data layout and the module flags that
// change code.
std::unique_ptr<llvm::Module> MakeModuleLike(const ModuleView& view, llvm::StringRef identifier);

// A variable of `target` that will take the place of the view's `original` and has everything of it
// but the initializer. Strong and visible to the linker, whatever the original was.
llvm::GlobalVariable& DeclareMoved(const llvm::GlobalVariable& original, llvm::StringRef name,
                                   llvm::Module& target);

// Gives what `original` was Defined as in `mapper` its initializer, and leaves a declaration in the
// view. Returns the definition.
llvm::GlobalVariable& MoveInitializer(llvm::GlobalVariable& original, ReferenceMapper& mapper);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MODULE_SKELETON_H_
