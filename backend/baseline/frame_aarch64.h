// How functions begin and end on AArch64.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_FRAME_AARCH64_H_
#define FIRSTCALL_BACKEND_BASELINE_FRAME_AARCH64_H_

#include <cstddef>
#include <cstdint>

#include "backend/baseline/assembler_aarch64.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_frame.h"
#include "ir/instruction.h"

namespace firstcall::baseline::aarch64 {

class FrameAArch64 final : public NativeFrame {
 public:
  explicit FrameAArch64(AssemblerAArch64& native) : native_(native) {}

  void Begin(const FunctionCode& code) override;
  void SaveArgumentRegisters(FunctionCode& code) override;
  void RestoreArgumentRegisters(FunctionCode& code) override;
  void LowerVariadicStart(FunctionCode& code, const ir::Instruction& intrinsic) override;
  void AskAtPoll(FunctionCode& code, uint32_t loop) override;
  void EmitReturn(FunctionCode& code) override;
  void EmitTailJump(FunctionCode& code) override;
  void StoreGuard(FunctionCode& code, const Mem& place) override;
  void CompareGuard(FunctionCode& code, const Mem& place) override;
  void EndBody(FunctionCode& code) override;
  uint32_t WritePrologue(FunctionCode& code) override;

 private:
  uint32_t ExpectedPrologue(const FunctionCode& code) const override;
  void EmitProbes(int64_t bytes);
  // What EmitReturn jumps to, or else EmitTailJump.
  void EmitEpilogue(FunctionCode& code, bool is_tail);

  AssemblerAArch64& native_;
  AssemblerAArch64 prologue_;
  bool signs_return_address_ = false;
  uint32_t epilogue_label_ = kNone;  // kNone if the function has no return.
  uint32_t tail_label_ = kNone;      // Of the epilogue for tail calls; kNone if there are none.
  size_t last_return_ = 0;           // Offset behind the last jump to the epilogue.
  // In a variadic function: the upper ends of the areas that save its argument registers.
  int32_t general_top_ = 0, vector_top_ = 0;
  // The place of the address of the result, in a function that passes on its arguments.
  int32_t result_address_place_ = 0;
};

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BACKEND_BASELINE_FRAME_AARCH64_H_
