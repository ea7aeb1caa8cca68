// Updates in memory: a load, an operation and a store to where the load was from, which some
// machines have one instruction for.
//
// Thread-compatible. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_MEMORY_UPDATE_H_
#define FIRSTCALL_BASELINE_MEMORY_UPDATE_H_

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace firstcall::baseline {

struct MemoryUpdate {
  const llvm::LoadInst* load = nullptr;             // Null if there is no update.
  const llvm::BinaryOperator* operation = nullptr;  // Of the loaded integer and the operand.
  const llvm::Value* operand = nullptr;             // On the right of a subtraction.
};

// The update that ends in `store`. Its operation is in the store's block, and its result is used
// only by the store, and at most by a TestOfUpdate. The caller must ensure that nothing writes to
// memory between the load and the store.
MemoryUpdate UpdateEndingIn(const llvm::StoreInst& store);

// The comparison with zero behind `store` that the result of the update's operation decides, and
// that the branch behind it needs; null if there is none.
const llvm::ICmpInst* TestOfUpdate(const llvm::StoreInst& store);

// The update that `load` begins.
MemoryUpdate UpdateBeginningWith(const llvm::LoadInst& load);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_MEMORY_UPDATE_H_
