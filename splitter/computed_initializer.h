// Initializers that no object file can express, because they hold the distance from a function
// (which is a stub somewhere else) to something: code of the data-module computes those parts, and
// runs when it has been linked.
//
// Thread-compatible: hold the mutex of the view.

#ifndef FIRSTCALL_SPLITTER_COMPUTED_INITIALIZER_H_
#define FIRSTCALL_SPLITTER_COMPUTED_INITIALIZER_H_

#include <memory>

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace firstcall {

// Makes the data-module's kInitializer. To be destroyed before the module is used.
class ComputedInitializers {
 public:
  explicit ComputedInitializers(llvm::Module& data_module);
  ~ComputedInitializers();

  // Replaces the distances in the initializer of `variable`, which belongs to the data-module, by
  // zeros, and lets code store them. The variable is writable then.
  void Compute(llvm::GlobalVariable& variable);

 private:
  llvm::Constant* Defer(llvm::Constant& part, uint64_t offset, llvm::GlobalVariable& variable);

  llvm::Module& module_;
  std::unique_ptr<llvm::IRBuilder<>> builder_;  // Null while nothing is computed.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_COMPUTED_INITIALIZER_H_
