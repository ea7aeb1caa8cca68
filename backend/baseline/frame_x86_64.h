// How functions begin and end on x86-64.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_FRAME_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_FRAME_X86_64_H_

#include <cstdint>

#include "backend/baseline/assembler_x86_64.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/native_frame.h"
#include "ir/instruction.h"

namespace firstcall::baseline::x86_64 {

class FrameX86_64 final : public NativeFrame {
 public:
  explicit FrameX86_64(AssemblerX86_64& native) : native_(native) {}

  void Begin(const FunctionCode& code) override;
  void SaveArgumentRegisters(FunctionCode& code) override;
  void RestoreArgumentRegisters(FunctionCode& code) override;
  void LowerVariadicStart(FunctionCode& code, const ir::Instruction& intrinsic) override;
  void AskAtPoll(FunctionCode& code, uint32_t loop) override;
  void EmitReturn(FunctionCode& code) override;
  void EmitTailJump(FunctionCode& code) override;
  void StoreGuard(FunctionCode& code, const Mem& place) override;
  void CompareGuard(FunctionCode& code, const Mem& place) override;
  uint32_t WritePrologue(FunctionCode& code) override;

 private:
  uint32_t ExpectedPrologue(const FunctionCode& code) const override;
  // Leaves the frame, and returns, or jumps to the address in `jump_to` if that is a register.
  void EmitEpilogue(FunctionCode& code, Register jump_to);
  void EmitProbes(FunctionCode& code, int64_t bytes);

  AssemblerX86_64& native_;
  AssemblerX86_64 prologue_;
  int32_t register_save_area_ = 0;  // Its place, in a variadic function.
};

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_FRAME_X86_64_H_
