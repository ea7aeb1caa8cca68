// Initializers that no object file can express, because they contain the distance from a function
// (whose address is a stub elsewhere) to something. Code of the data-module computes these parts;
// it runs after the data-module has been linked.
//
// Thread-compatible: hold the mutex of the view. Tested in tests/splitter/data_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_COMPUTED_INITIALIZER_H_
#define FIRSTCALL_SPLITTER_COMPUTED_INITIALIZER_H_

#include <memory>

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace firstcall {

// Makes the data-module's function kInitializer. Destroy before the module is used.
class ComputedInitializers {
 public:
  explicit ComputedInitializers(llvm::Module& data_module);
  ~ComputedInitializers();

  // Replaces the distances in the initializer of `variable`, which belongs to the data-module, by
  // zeros, and adds code that stores the distances. Makes the variable writable.
  void Compute(llvm::GlobalVariable& variable);

  // Makes the other variables writable that are in a section with such a variable: two sections of
  // one name would have bounds of their own.
  void UniteSections();

 private:
  llvm::Constant* Defer(llvm::Constant& part, uint64_t offset, llvm::GlobalVariable& variable);

  llvm::Module& module_;
  std::unique_ptr<llvm::IRBuilder<>> builder_;  // Null while nothing is computed.
  llvm::StringSet<> sections_;                  // Of computed variables.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_COMPUTED_INITIALIZER_H_
