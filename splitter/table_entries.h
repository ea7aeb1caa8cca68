// Tells the linker which entries of a module's constant tables it may bind to the bodies of
// functions, so that calls through a table (C++'s virtual calls, Rust's calls of trait objects)
// pass no stub.
//
// An entry may be bound to a body if the function is `unnamed_addr`, because then no program
// depends on its address, and if the table is constant, because then nobody else writes the entry.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/table_entries_test.cc.

#ifndef FIRSTCALL_SPLITTER_TABLE_ENTRIES_H_
#define FIRSTCALL_SPLITTER_TABLE_ENTRIES_H_

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constant.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "seam/symbol_index.h"
#include "splitter/module_view.h"

namespace firstcall {

class TableEntries {
 public:
  // Both must outlive this object.
  TableEntries(const ModuleView& view, const SymbolIndex& index) : view_(view), index_(index) {}

  // Gives functions in the initializer of `variable`, which has been moved to a data-module, the
  // name of a table's entry (see kTableSuffix) where that is allowed. A variable with such an entry
  // becomes writable, as a stub's slot is: the engine writes the entry later.
  void Name(llvm::GlobalVariable& variable);

 private:
  llvm::Constant* Named(llvm::Constant& constant);
  // `stub` is a reference to a stub. Returns `stub` itself if the entry has to keep it.
  llvm::Function* NamedFunction(llvm::Function& stub);

  const ModuleView& view_;
  const SymbolIndex& index_;
  llvm::DenseMap<const llvm::Function*, llvm::Function*> named_;  // By the reference to the stub.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_TABLE_ENTRIES_H_
