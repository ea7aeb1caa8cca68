// Takes the list of a module's compile units aside, while the module is cloned: the list would be
// copied with all that it refers to.
//
// Thread-compatible: hold the lock of the module's context.

#ifndef FIRSTCALL_CLIENTS_ORC_COMPILE_UNITS_ASIDE_H_
#define FIRSTCALL_CLIENTS_ORC_COMPILE_UNITS_ASIDE_H_

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

namespace firstcall {

class CompileUnitsAside {
 public:
  explicit CompileUnitsAside(llvm::Module& module) : list_(module.getNamedMetadata("llvm.dbg.cu")) {
    if (list_ == nullptr) return;
    units_.assign(list_->op_begin(), list_->op_end());
    list_->clearOperands();
  }
  ~CompileUnitsAside() {
    for (llvm::MDNode* unit : units_) list_->addOperand(unit);
  }
  CompileUnitsAside(const CompileUnitsAside&) = delete;
  CompileUnitsAside& operator=(const CompileUnitsAside&) = delete;

 private:
  llvm::NamedMDNode* const list_;
  llvm::SmallVector<llvm::MDNode*, 1> units_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_COMPILE_UNITS_ASIDE_H_
