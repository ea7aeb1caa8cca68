// Which allocas have a place in the frame for the whole run of the function.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_STATIC_ALLOCA_H_
#define FIRSTCALL_BACKEND_BASELINE_STATIC_ALLOCA_H_

#include "ir/constant.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/opcode.h"

namespace firstcall::baseline {

// Whether the instruction is an alloca that gets a place in the frame for the whole run of the
// function: in the entry block, with a constant number of elements, and without `inalloca`.
inline bool IsStaticAlloca(const ir::Function& function, const ir::Instruction& instruction) {
  if (instruction.opcode != ir::Opcode::kAlloca || instruction.block != 0 ||
      instruction.is_inalloca) {
    return false;
  }
  const ir::Constant* count = function.ConstantOf(function.OperandOf(instruction, 0));
  return count != nullptr && count->IsInteger();
}

// Whether the alloca is aligned to more than frames are.
inline bool IsOverAligned(const ir::Instruction& alloca) { return alloca.alignment() > 16; }

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_STATIC_ALLOCA_H_
