// The x86-64 part of the lowering. Needs SSE2.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LOWERING_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_LOWERING_X86_64_H_

#include <cstdint>

#include "backend/baseline/assembler_x86_64.h"
#include "backend/baseline/lowering.h"
#include "backend/baseline/opcodes_x86_64.h"

namespace firstcall::baseline::x86_64 {

// A separate base class, so that the assembler is constructed before Lowering, which refers to it.
struct NativeAssembler {
  AssemblerX86_64 native_;
};

class LoweringX86_64 final : private NativeAssembler, public Lowering {
 public:
  explicit LoweringX86_64(Analysis& analysis) : Lowering(ArchitectureX86_64(), analysis, native_) {}

 private:
  bool IsBranchProtected(const ir::Function& function) const override;
  void SaveArgumentRegisters() override;
  void EmitReturn() override;
  uint32_t WritePrologue() override;
  // Whether `bytes` of the frame may lie below rsp, in the red zone (psABI, 3.2.2).
  bool FitsRedZone(int64_t bytes) const;

  Register InShiftCount(ir::Operand count, unsigned bits) override;
  void EmitDivision(const ir::Instruction& binary, bool is_signed, bool is_remainder) override;
  void LowerWideMultiply(const ir::Instruction& binary) override;
  void ShiftIn(bool is_left, Register dst, Register other, unsigned count) override;
  void LowerWideShiftByVariable(const ir::Instruction& binary) override;
  FlagTest EmitFloatCompare(const ir::Instruction& compare) override;
  void CopyBlock(ir::Operand to, const Mem& place, ir::Operand from, uint64_t size) override;

  void LowerAtomicLoad(const ir::Instruction& load) override;
  void LowerAtomicStore(const ir::Instruction& store) override;
  void LowerAtomicUpdate(const ir::Instruction& update) override;
  void LowerCompareExchange(const ir::Instruction& exchange) override;
  void LowerFence(const ir::Instruction& fence) override;

  void LowerNegation(const ir::Instruction& negation) override;
  void EmitIntegerToFloat(const ir::Instruction& cast, bool is_signed) override;
  void EmitFloatToInteger(const ir::Instruction& cast, bool is_signed) override;
  void SplitVector(Register low, Register high, Register vector) override;
  void JoinVector(Register vector, Register low, Register high) override;
  // A constant in the pool with a mask in each lane: the sign bit if `sign_only`, otherwise the
  // other bits.
  Mem FloatMask(const ir::Type* type, bool sign_only);

  void LowerOverflow(const ir::Instruction& intrinsic) override;
  void LowerBitCount(const ir::Instruction& intrinsic) override;
  void LowerFunnelShift(const ir::Instruction& intrinsic) override;
  void LowerSaturating(const ir::Instruction& intrinsic) override;
  bool EmitFloatIntrinsic(const ir::Instruction& intrinsic) override;
  void LowerRounding(const ir::Instruction& intrinsic, unsigned mode);
  void LowerVariadicStart(const ir::Instruction& intrinsic) override;

  void LowerVectorFloatCompare(const ir::Instruction& compare) override;
  Register MaskBits(ir::Operand vector) override;

  AssemblerX86_64 prologue_;
  int32_t register_save_area_ = 0;  // Its place, in a variadic function.
};

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_LOWERING_X86_64_H_
