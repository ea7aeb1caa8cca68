// What else an instruction does in the baseline's code, beside computing its result: whether it
// calls, writes to memory, returns twice, or does nothing.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_EFFECTS_H_
#define FIRSTCALL_BACKEND_BASELINE_EFFECTS_H_

#include <cstdint>

#include "ir/function.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"

namespace firstcall::baseline {

// `instruction` must be of `function` in all of these.

// Whether the instruction computes the address of a thread-local variable.
bool ComputesThreadLocal(const ir::Function& function, const ir::Instruction& instruction);

// Whether the lowering of an instruction may emit a call, which changes registers. The call of a
// descriptor's resolver changes none; `emulates_thread_locals`: there are none. MayBeCall is the
// same, and called only for other than the most frequent kinds, which emit none.
bool MayBeCall(const ir::Function& function, const ir::Instruction& instruction,
               bool emulates_thread_locals);
inline bool MayCall(const ir::Function& function, const ir::Instruction& instruction,
                    bool emulates_thread_locals) {
  switch (instruction.opcode) {
    case ir::Opcode::kRet:
    case ir::Opcode::kBr:
    case ir::Opcode::kAdd:
    case ir::Opcode::kSub:
    case ir::Opcode::kAnd:
    case ir::Opcode::kOr:
    case ir::Opcode::kAlloca:
    case ir::Opcode::kLoad:
    case ir::Opcode::kStore:
    case ir::Opcode::kGetElementPtr:
    case ir::Opcode::kTrunc:
    case ir::Opcode::kZExt:
    case ir::Opcode::kSExt:
    case ir::Opcode::kICmp:
    case ir::Opcode::kPhi:
    case ir::Opcode::kSelect:
      return false;
    default:
      return MayBeCall(function, instruction, emulates_thread_locals);
  }
}

// The thread-local variable whose address the instruction, a kFreeze of the variable, computes.
// Null if it is another one. As an operand of other instructions, such a variable is not covered
// (constant_expansion.h).
const ir::Global* ThreadLocalOf(const ir::Function& function, const ir::Instruction& freeze);

// Whether the call may return twice, as that of setjmp does.
bool ReturnsTwice(const ir::Function& function, const ir::Instruction& call);

// Whether the instruction may write to memory, as LLVM understands that. Every call of a function
// that is no intrinsic counts, whatever its attributes say, and every strict instruction, because
// exceptions are as if they were in memory. MayCallWrite is for calls that are not strict.
bool MayCallWrite(const ir::Function& function, const ir::Instruction& call);
inline bool MayWriteToMemory(const ir::Function& function, const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case ir::Opcode::kStore:
    case ir::Opcode::kFence:
    case ir::Opcode::kCmpXchg:
    case ir::Opcode::kAtomicRmw:
    case ir::Opcode::kVAArg:
    case ir::Opcode::kInvoke:
    case ir::Opcode::kCallBr:
    case ir::Opcode::kCatchPad:
    case ir::Opcode::kCatchRet:
      return true;
    case ir::Opcode::kLoad:
      return instruction.is_volatile ||
             instruction.ordering > static_cast<uint8_t>(ir::Ordering::kUnordered);
    case ir::Opcode::kCall:
      return instruction.is_strict || MayCallWrite(function, instruction);
    default:
      return instruction.is_strict;
  }
}

// Whether the intrinsic needs no machine code.
bool IsNoOperation(ir::IntrinsicId intrinsic);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_EFFECTS_H_
