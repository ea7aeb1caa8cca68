// Which structures, classes and unions the debug information of a view's function-modules has
// defined so far.
//
// A function's variables lead to all types of a program as often as not, because structures point
// to each other, and the code generator writes down every type it can reach. So the first
// function-module that reaches a structure defines it, and later ones declare it; debuggers look
// for the definition elsewhere then, as they do for what C's headers only declare.
//
// Thread-compatible: belongs to a view; hold its mutex.

#ifndef FIRSTCALL_SPLITTER_DEBUG_TYPES_H_
#define FIRSTCALL_SPLITTER_DEBUG_TYPES_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class DICompositeType;
class Function;
class MDNode;
}  // namespace llvm

namespace firstcall {

class DebugTypes {
 public:
  // Lets the debug information of `function` declare what earlier functions have defined, and
  // counts the rest as defined by it. Takes time in proportion to the function and to what it
  // defines.
  void DeclareKnown(llvm::Function& function);

 private:
  using Nodes = llvm::SmallSetVector<llvm::MDNode*, 16>;

  static Nodes RootsOf(llvm::Function& function);
  static void ReplaceVariables(llvm::Function& function, llvm::ValueToValueMapTy& map);
  llvm::DICompositeType* DeclarationOf(const llvm::DICompositeType& type);

  // By definition, originals and rewritten ones.
  llvm::DenseMap<const llvm::MDNode*, llvm::DICompositeType*> declarations_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_DEBUG_TYPES_H_
