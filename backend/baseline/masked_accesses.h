// Loads and stores of those lanes of a vector for which a mask says so: llvm.masked.load and
// llvm.masked.store.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/lane_expansion_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_MASKED_ACCESSES_H_
#define FIRSTCALL_BACKEND_BASELINE_MASKED_ACCESSES_H_

#include "backend/baseline/lanes.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

// `result`: the place of the load's result. `value`: a register for intermediate results.
void LoadSomeLanes(FunctionCode& code, const ir::Instruction& load, const Lanes& result,
                   Register value);
void StoreSomeLanes(FunctionCode& code, const ir::Instruction& store, Register value);
// The same of lanes each of which has an address of its own: llvm.masked.gather and scatter.
void GatherLanes(FunctionCode& code, const ir::Instruction& gather, const Lanes& result,
                 Register value);
void ScatterLanes(FunctionCode& code, const ir::Instruction& scatter, Register value);
// The same where the lanes for which the mask says so lie next to each other in memory:
// llvm.masked.expandload and compressstore.
void LoadNextLanes(FunctionCode& code, const ir::Instruction& load, const Lanes& result,
                   Register value);
void StoreNextLanes(FunctionCode& code, const ir::Instruction& store, Register value);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_MASKED_ACCESSES_H_
