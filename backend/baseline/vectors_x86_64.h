// Vectors on x86-64: halves, masks, and comparisons that make them.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VECTORS_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_VECTORS_X86_64_H_

#include "backend/baseline/assembler_x86_64.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_vectors.h"
#include "backend/baseline/registers.h"
#include "backend/baseline/sse_intrinsics.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline::x86_64 {

class VectorsX86_64 final : public NativeVectors {
 public:
  explicit VectorsX86_64(AssemblerX86_64& native) : native_(native) {}

  void SplitVector(Register low, Register high, Register vector) override;
  void JoinVector(Register vector, Register low, Register high) override;
  void LowerVectorFloatCompare(FunctionCode& code, const ir::Instruction& compare) override;
  void CompareFloatLanes(ir::Predicate predicate, bool is_double, Register dst, Register left,
                         Register right) override;
  void LowerOwnIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic) override {
    LowerSseIntrinsic(code, native_, intrinsic);
  }
  Register MaskBits(FunctionCode& code, ir::Operand vector) override;

 private:
  AssemblerX86_64& native_;
};

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_VECTORS_X86_64_H_
