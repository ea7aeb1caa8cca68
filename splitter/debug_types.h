// Records which structures, classes and unions have been defined by the debug information of a
// view's function-modules.
//
// Structures point to each other, so a function's variables often lead to all types of a program,
// and the verifier reads every type that it reaches, as the code generator emits it. Therefore the
// first function-module that reaches a structure defines it, and later ones only declare it.
// Debuggers then look for the definition elsewhere, as they do for structures that C's headers only
// declare.
//
// Thread-compatible: belongs to a view; hold its mutex. Tested in
// tests/splitter/debug_types_test.cc.

#ifndef FIRSTCALL_SPLITTER_DEBUG_TYPES_H_
#define FIRSTCALL_SPLITTER_DEBUG_TYPES_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class DICompileUnit;
class DICompositeType;
class Function;
class MDNode;
}  // namespace llvm

namespace firstcall {

class DebugTypes {
 public:
  using Units = llvm::SmallSetVector<llvm::DICompileUnit*, 4>;

  // Makes the debug information of `function`, which need not be verified yet, declare what other
  // functions have defined. Returns the units that it leads to. Takes time in proportion to the
  // function and to what only this function leads to.
  Units DeclareKnown(llvm::Function& function);

  // Records that code with the debug information of `function`, for which DeclareKnown was called,
  // is generated, so that later functions need not define the same structures.
  void NoteDefined(llvm::Function& function);

 private:
  struct Reached;

  void Reach(llvm::Function& function, Reached& reached) const;
  llvm::DICompositeType* DeclarationOf(const llvm::DICompositeType& type);

  // The declarations, by definition; both original and rewritten definitions are keys.
  llvm::DenseMap<const llvm::MDNode*, llvm::DICompositeType*> declarations_;
  // The original definition of one that was rewritten because it leads to declarations.
  llvm::DenseMap<const llvm::MDNode*, const llvm::DICompositeType*> originals_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_DEBUG_TYPES_H_
