// What AArch64 does in its own way.
//
// Thread-compatible. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_LOWERING_AARCH64_H_
#define FIRSTCALL_BASELINE_LOWERING_AARCH64_H_

#include <cstdint>

#include "baseline/assembler_aarch64.h"
#include "baseline/lowering.h"

namespace firstcall::baseline::aarch64 {

// A base class of its own, so that it is there before Lowering, which refers to it.
struct NativeAssembler {
  AssemblerAArch64 native_;
};

class LoweringAArch64 final : private NativeAssembler, public Lowering {
 public:
  explicit LoweringAArch64(Analysis& analysis)
      : Lowering(ArchitectureAArch64(), analysis, native_) {}

 private:
  void Prepare() override;
  bool IsBranchProtected(const llvm::Function& function) const override;
  void SaveArgumentRegisters() override;
  void EmitReturn() override;
  uint32_t WritePrologue() override;
  void EndBody() override;
  // Calls `visit` for pairs of saved registers of one kind, of which the second may be none, and
  // where they lie in the frame.
  template <typename Visit>
  void ForEachSavedPair(const Visit& visit) const;
  // The bytes between the frame pointer and the caller's stack.
  int64_t BytesAbove() const { return (frame_.used() + 15) & ~int64_t{15}; }
  int64_t BytesBelow() const { return (frame_.outgoing() + 15) & ~int64_t{15}; }

  void EmitDivision(const llvm::BinaryOperator& binary, bool is_signed, bool is_remainder) override;
  void LowerWideMultiply(const llvm::BinaryOperator& binary) override;
  void ShiftIn(bool is_left, Register dst, Register other, unsigned count) override;
  void LowerWideShiftByVariable(const llvm::BinaryOperator& binary) override;
  FlagTest EmitFloatCompare(const llvm::CmpInst& compare) override;
  void CopyBlock(const llvm::Value* to, const Mem& place, const llvm::Value* from,
                 uint64_t size) override;

  void LowerAtomicLoad(const llvm::LoadInst& load) override;
  void LowerAtomicStore(const llvm::StoreInst& store) override;
  void LowerAtomicUpdate(const llvm::AtomicRMWInst& update) override;
  void LowerCompareExchange(const llvm::AtomicCmpXchgInst& exchange) override;
  void LowerFence(const llvm::FenceInst& fence) override;

  void LowerNegation(const llvm::UnaryOperator& negation) override;
  void EmitIntegerToFloat(const llvm::CastInst& cast, bool is_signed) override;
  void EmitFloatToInteger(const llvm::CastInst& cast, bool is_signed) override;
  void SplitVector(Register low, Register high, Register vector) override;
  void JoinVector(Register vector, Register low, Register high) override;

  void LowerOverflow(const llvm::WithOverflowInst& intrinsic) override;
  void LowerBitCount(const llvm::IntrinsicInst& intrinsic) override;
  void LowerFunnelShift(const llvm::IntrinsicInst& intrinsic) override;
  void LowerSaturating(const llvm::SaturatingInst& intrinsic) override;
  bool EmitFloatIntrinsic(const llvm::IntrinsicInst& intrinsic) override;
  bool EmitRounding(const llvm::IntrinsicInst& intrinsic);
  void LowerVariadicStart(const llvm::IntrinsicInst& intrinsic) override;

  void LowerVectorFloatCompare(const llvm::FCmpInst& compare) override;
  Register MaskBits(const llvm::Value* vector) override;

  // A register with the address that `pointer` is.
  Register InAddress(const llvm::Value* pointer);
  // `result` = operation of `old` and `value`, of which those of 1 and 2 bytes are extended.
  void EmitAtomicOperation(llvm::AtomicRMWInst::BinOp operation, unsigned bytes, Register result,
                           Register old, Register value);
  bool LowerAtomicUpdateByOne(const llvm::AtomicRMWInst& update);
  void LowerNarrowOverflow(const llvm::WithOverflowInst& intrinsic);
  void LowerNarrowSaturating(const llvm::SaturatingInst& intrinsic);
  void LowerNarrowFunnelShift(const llvm::IntrinsicInst& intrinsic, bool is_left);

  AssemblerAArch64 prologue_;
  bool signs_return_address_ = false;
  uint32_t epilogue_label_ = kNone;  // None if nothing returns.
  size_t last_return_ = 0;           // Behind the last jump to the epilogue.
  // Of a variadic function: the upper ends of where its registers are saved.
  int32_t general_top_ = 0, vector_top_ = 0;
};

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BASELINE_LOWERING_AARCH64_H_
