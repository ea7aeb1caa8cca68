// Records which structures, classes and unions have been defined by the debug information of a
// view's function-modules.
//
// Structures point to each other, so a function's variables often lead to all types of a program,
// and the code generator emits every type that it reaches. Therefore the first function-module that
// reaches a structure defines it, and later ones only declare it. Debuggers then look for the
// definition elsewhere, as they do for structures that C's headers only declare.
//
// Thread-compatible: belongs to a view; hold its mutex. Tested in
// tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_DEBUG_TYPES_H_
#define FIRSTCALL_SPLITTER_DEBUG_TYPES_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class DICompositeType;
class Function;
class MDNode;
}  // namespace llvm

namespace firstcall {

class DebugTypes {
 public:
  // Makes the debug information of `function` declare what earlier functions have defined, and
  // records the rest as defined by it, unless the function `may_be_dropped` before code is
  // generated. Takes time proportional to the function and to what it defines.
  void DeclareKnown(llvm::Function& function, bool may_be_dropped);

 private:
  using Nodes = llvm::SmallSetVector<llvm::MDNode*, 16>;

  static Nodes RootsOf(llvm::Function& function);
  static void ReplaceVariables(llvm::Function& function, llvm::ValueToValueMapTy& map);
  llvm::DICompositeType* DeclarationOf(const llvm::DICompositeType& type);

  // The declarations, by definition; both original and rewritten definitions are keys.
  llvm::DenseMap<const llvm::MDNode*, llvm::DICompositeType*> declarations_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_DEBUG_TYPES_H_
