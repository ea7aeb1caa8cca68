// Atomic operations on 8 to 64 bits, and copies of many bytes, on x86-64. Loads and stores are
// ordered by the machine (Intel SDM volume 3, 9.2); a sequentially consistent store is an exchange.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_MEMORY_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_MEMORY_X86_64_H_

#include <cstdint>

#include "backend/baseline/assembler_x86_64.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_memory.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline::x86_64 {

class MemoryX86_64 final : public NativeMemory {
 public:
  explicit MemoryX86_64(AssemblerX86_64& native) : native_(native) {}

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
  void LowerAtomicFloatUpdate(FunctionCode& code, const ir::Instruction& update);

  // Of 128 bits.
  void LowerWideLoad(FunctionCode& code, const ir::Instruction& load);
  void LowerWideStore(FunctionCode& code, const ir::Instruction& store);
  void LowerWideUpdate(FunctionCode& code, const ir::Instruction& update);
  void LowerWideExchange(FunctionCode& code, const ir::Instruction& exchange);

  AssemblerX86_64& native_;
};

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_MEMORY_X86_64_H_
