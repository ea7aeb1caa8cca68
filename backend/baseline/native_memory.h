// What each architecture does in its own way with memory: atomic operations on 8 to 64 bits, copies
// of many bytes, and the addresses of thread-local variables.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_NATIVE_MEMORY_H_
#define FIRSTCALL_BACKEND_BASELINE_NATIVE_MEMORY_H_

#include <cstdint>

#include "backend/baseline/assembler.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

class NativeMemory {
 public:
  virtual ~NativeMemory() = default;

  virtual void LowerAtomicLoad(FunctionCode& code, const ir::Instruction& load) = 0;
  virtual void LowerAtomicStore(FunctionCode& code, const ir::Instruction& store) = 0;
  virtual void LowerAtomicUpdate(FunctionCode& code, const ir::Instruction& update) = 0;
  virtual void LowerCompareExchange(FunctionCode& code, const ir::Instruction& exchange) = 0;
  virtual void LowerFence(const ir::Instruction& fence) = 0;

  // Copies many bytes to the address `to`. If `to` is nothing, copies them to `place`.
  virtual void CopyBlock(FunctionCode& code, ir::Operand to, const Mem& place, ir::Operand from,
                         uint64_t size) = 0;

  // The result of `instruction` is the address of the thread-local `variable`, by a descriptor
  // (memory/thread_local_blocks.h).
  virtual void LowerThreadLocalAddress(FunctionCode& code, const ir::Instruction& instruction,
                                       const ir::Global& variable) = 0;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_NATIVE_MEMORY_H_
