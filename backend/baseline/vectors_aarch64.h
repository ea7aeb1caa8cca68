// Vectors on AArch64: halves, masks, and comparisons that make them.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VECTORS_AARCH64_H_
#define FIRSTCALL_BACKEND_BASELINE_VECTORS_AARCH64_H_

#include "backend/baseline/assembler_aarch64.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_vectors.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline::aarch64 {

class VectorsAArch64 final : public NativeVectors {
 public:
  explicit VectorsAArch64(AssemblerAArch64& native) : native_(native) {}

  void SplitVector(Register low, Register high, Register vector) override;
  void JoinVector(Register vector, Register low, Register high) override;
  void LowerVectorFloatCompare(FunctionCode& code, const ir::Instruction& compare) override;
  void CompareFloatLanes(ir::Predicate predicate, bool is_double, Register dst, Register left,
                         Register right) override;
  Register MaskBits(FunctionCode& code, ir::Operand vector) override;

 private:
  AssemblerAArch64& native_;
};

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BACKEND_BASELINE_VECTORS_AARCH64_H_
