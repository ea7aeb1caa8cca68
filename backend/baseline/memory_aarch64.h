// Atomic operations on 8 to 64 bits, and copies of many bytes, on AArch64. Loads that acquire and
// stores that release are instructions; updates are one instruction if the processor has Armv8.1's,
// and otherwise a loop that stores if nobody has stored since it loaded (Arm ARM, B2.9), with
// acquire and release semantics always.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_MEMORY_AARCH64_H_
#define FIRSTCALL_BACKEND_BASELINE_MEMORY_AARCH64_H_

#include <cstdint>

#include "backend/baseline/assembler_aarch64.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_memory.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline::aarch64 {

class MemoryAArch64 final : public NativeMemory {
 public:
  explicit MemoryAArch64(AssemblerAArch64& native) : native_(native) {}

  void LowerAtomicLoad(FunctionCode& code, const ir::Instruction& load) override;
  void LowerAtomicStore(FunctionCode& code, const ir::Instruction& store) override;
  void LowerAtomicUpdate(FunctionCode& code, const ir::Instruction& update) override;
  void LowerCompareExchange(FunctionCode& code, const ir::Instruction& exchange) override;
  void LowerFence(const ir::Instruction& fence) override;
  void CopyBlock(FunctionCode& code, ir::Operand to, const Mem& place, ir::Operand from,
                 uint64_t size) override;
  void LowerThreadLocalAddress(FunctionCode& code, const ir::Instruction& instruction,
                               const ir::Global& variable) override;

 private:
  // `result` = operation(old, value). Operands of 1 and 2 bytes must be extended.
  void EmitAtomicOperation(ir::AtomicOperation operation, unsigned bytes, Register result,
                           Register old, Register value);
  // False, and nothing emitted, if there is no such instruction.
  bool LowerAtomicUpdateByOne(FunctionCode& code, const ir::Instruction& update);

  // Of 128 bits.
  void LowerWideUpdate(FunctionCode& code, const ir::Instruction& update);
  void LowerWideExchange(FunctionCode& code, const ir::Instruction& exchange);

  // Of floats and doubles, exchanges included.
  void LowerAtomicFloatUpdate(FunctionCode& code, const ir::Instruction& update);

  AssemblerAArch64& native_;
};

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BACKEND_BASELINE_MEMORY_AARCH64_H_
