// The simplified copies of functions of a view. A function-module gets copies of these: simplified
// bodies are small enough to be inlined, and their sizes say whether they should be. The functions
// themselves stay as they were read, because first bodies and OSR continuations are made from them.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/simplified_bodies_test.cc.

#ifndef FIRSTCALL_SPLITTER_SIMPLIFIED_BODIES_H_
#define FIRSTCALL_SPLITTER_SIMPLIFIED_BODIES_H_

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "llvm/IR/Function.h"

namespace firstcall {

// Simplifies a body in place, without inlining anything.
using Simplify = absl::FunctionRef<void(llvm::Function&)>;

class SimplifiedBodies {
 public:
  // Returns the simplified copy of `function`, whose body is in memory, and which can be cloned.
  // Makes the copy if there is none. The copy belongs to the view's module, and has no name; what
  // it calls, also if that is `function`, are the view's functions.
  llvm::Function& Of(llvm::Function& function, Simplify simplify);

  // Whether `function` has a copy.
  bool Has(const llvm::Function& function) const { return copies_.contains(&function); }

  // Frees the copy of `function`, which must have one.
  void Drop(const llvm::Function& function);

 private:
  absl::flat_hash_map<const llvm::Function*, llvm::Function*> copies_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_SIMPLIFIED_BODIES_H_
