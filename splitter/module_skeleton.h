// Shared parts of making function-modules and data-modules.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_MODULE_SKELETON_H_
#define FIRSTCALL_SPLITTER_MODULE_SKELETON_H_

#include <memory>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "splitter/module_view.h"
#include "splitter/reference_mapper.h"

namespace firstcall {

// Makes an empty module in the view's context, with the triple, the data layout and the module
// flags of the view's module.
std::unique_ptr<llvm::Module> MakeModuleLike(const ModuleView& view, llvm::StringRef identifier);

// Declares a variable in `target` that will replace the view's `original`. It has all properties of
// the original but the initializer. It is strong, and visible to the linker, whatever the original
// is.
llvm::GlobalVariable& DeclareMoved(const llvm::GlobalVariable& original, llvm::StringRef name,
                                   llvm::Module& target);

// Moves the initializer of `original` to `moved`, mapped by `mapper`, and leaves a declaration in
// the view.
void MoveInitializer(llvm::GlobalVariable& original, llvm::GlobalVariable& moved,
                     ReferenceMapper& mapper);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MODULE_SKELETON_H_
