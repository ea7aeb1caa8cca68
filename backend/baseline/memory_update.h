// Updates in memory: a load, an operation and a store to the address of the load. Some machines
// have one instruction for all three.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_MEMORY_UPDATE_H_
#define FIRSTCALL_BACKEND_BASELINE_MEMORY_UPDATE_H_

#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct MemoryUpdate {
  const ir::Instruction* load = nullptr;       // Null if there is no update.
  const ir::Instruction* operation = nullptr;  // Applied to the loaded integer and `operand`.
  ir::Operand operand;                         // The right operand of a subtraction.
};

// Returns the update that ends in `store`. Its load and operation are in the store's block. The
// operation's result is used only by the store and perhaps by the TestOfUpdate. The caller must
// ensure that nothing writes to memory between the load and the store.
MemoryUpdate UpdateEndingIn(const ir::Function& function, const ir::Instruction& store);

// Returns the comparison of the stored value with zero that directly follows `store`, if the
// operation's flags decide the comparison (eq, ne, slt, sge) and only the branch directly behind it
// uses it. Null if there is none.
const ir::Instruction* TestOfUpdate(const ir::Function& function, const ir::Instruction& store);

// Returns the update that begins with `load`.
MemoryUpdate UpdateBeginningWith(const ir::Function& function, const ir::Instruction& load);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_MEMORY_UPDATE_H_
