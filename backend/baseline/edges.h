// The edges between blocks: moves for phis, and jumps.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_EDGES_H_
#define FIRSTCALL_BACKEND_BASELINE_EDGES_H_

#include <cstdint>

#include "backend/baseline/function_code.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

inline uint32_t LabelOf(const FunctionCode& code, uint32_t block) {
  return code.facts.order.NumberOf(block);
}
// The label whose address is the block's address (blockaddress).
uint32_t AddressLabelOf(FunctionCode& code, uint32_t block);
// Whether the block is compiled directly after the current one.
inline bool IsNext(const FunctionCode& code, uint32_t block) {
  return LabelOf(code, block) == code.locations.block() + 1;
}

// Emits an edge to `target`: the moves for its phis and, if `target` is not the next block, a jump.
void EmitEdge(FunctionCode& code, uint32_t target);
void EmitJump(FunctionCode& code, uint32_t target);
bool EdgeHasMoves(const FunctionCode& code, uint32_t target);
void CollectEdgeMoves(FunctionCode& code, uint32_t target);

// Whether registers keep their parts from the terminator on to the next block: the terminator is a
// branch to it, and the block has no other predecessor.
bool KeepsRegisters(const FunctionCode& code, const ir::Instruction& terminator);
// Counts down the uses of values by phis of the successors.
void CountDownEdges(FunctionCode& code, const ir::Instruction& terminator);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_EDGES_H_
