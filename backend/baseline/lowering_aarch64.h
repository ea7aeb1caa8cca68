// The AArch64 part of the lowering.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LOWERING_AARCH64_H_
#define FIRSTCALL_BACKEND_BASELINE_LOWERING_AARCH64_H_

#include <cstdint>

#include "backend/baseline/assembler_aarch64.h"
#include "backend/baseline/lowering.h"

namespace firstcall::baseline::aarch64 {

// A separate base class, so that the assembler is constructed before Lowering, which refers to it.
struct NativeAssembler {
  AssemblerAArch64 native_;
};

class LoweringAArch64 final : private NativeAssembler, public Lowering {
 public:
  explicit LoweringAArch64(Analysis& analysis)
      : Lowering(ArchitectureAArch64(), analysis, native_) {}

 private:
  void Prepare() override;
  bool IsBranchProtected(const ir::Function& function) const override;
  void SaveArgumentRegisters() override;
  void EmitReturn() override;
  uint32_t WritePrologue() override;
  void EndBody() override;
  // Calls `visit(first, second, place)` for pairs of saved registers of one kind. `second` may be
  // kNoRegister. `place` is the pair's place in the frame.
  template <typename Visit>
  void ForEachSavedPair(const Visit& visit) const;
  // The bytes between the frame pointer and the caller's frame.
  int64_t BytesAbove() const { return (frame_.used() + 15) & ~int64_t{15}; }
  // The bytes between the stack pointer and the frame pointer.
  int64_t BytesBelow() const { return (frame_.outgoing() + 15) & ~int64_t{15}; }

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

  void LowerOverflow(const ir::Instruction& intrinsic) override;
  void LowerBitCount(const ir::Instruction& intrinsic) override;
  void LowerFunnelShift(const ir::Instruction& intrinsic) override;
  void LowerSaturating(const ir::Instruction& intrinsic) override;
  bool EmitFloatIntrinsic(const ir::Instruction& intrinsic) override;
  bool EmitRounding(const ir::Instruction& intrinsic);
  void LowerVariadicStart(const ir::Instruction& intrinsic) override;

  void LowerVectorFloatCompare(const ir::Instruction& compare) override;
  Register MaskBits(ir::Operand vector) override;

  // Returns a register with the value of `pointer`.
  Register InAddress(ir::Operand pointer);
  // `result` = operation(old, value). Operands of 1 and 2 bytes must be extended.
  void EmitAtomicOperation(ir::AtomicOperation operation, unsigned bytes, Register result,
                           Register old, Register value);
  bool LowerAtomicUpdateByOne(const ir::Instruction& update);
  void LowerNarrowOverflow(const ir::Instruction& intrinsic);
  void LowerNarrowSaturating(const ir::Instruction& intrinsic);
  void LowerNarrowFunnelShift(const ir::Instruction& intrinsic, bool is_left);

  AssemblerAArch64 prologue_;
  bool signs_return_address_ = false;
  uint32_t epilogue_label_ = kNone;  // kNone if the function has no return.
  size_t last_return_ = 0;           // Offset behind the last jump to the epilogue.
  // In a variadic function: the upper ends of the areas that save its argument registers.
  int32_t general_top_ = 0, vector_top_ = 0;
};

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BACKEND_BASELINE_LOWERING_AARCH64_H_
