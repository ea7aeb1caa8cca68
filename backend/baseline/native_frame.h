// What each architecture does in its own way where a function begins and ends: the prologue, the
// returns, the rows of the unwind table, and the arguments of variadic functions.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/unwinding_test.cc and frames_aarch64_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_NATIVE_FRAME_H_
#define FIRSTCALL_BACKEND_BASELINE_NATIVE_FRAME_H_

#include <cstdint>
#include <vector>

#include "backend/baseline/assembler.h"
#include "backend/baseline/unwind_rows.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

class NativeFrame {
 public:
  virtual ~NativeFrame() = default;

  // Begins `code.function`.
  virtual void Begin(const FunctionCode& code) = 0;
  // Whether indirect jumps may lead only to landing marks.
  bool is_protected() const { return is_protected_; }

  // In a variadic function: saves the argument registers that hold no named argument, for va_start.
  virtual void SaveArgumentRegisters(FunctionCode& code) = 0;
  // In a function that passes its further arguments on (FunctionFacts::forwards_arguments): gives
  // these registers what they held at the function's beginning.
  virtual void RestoreArgumentRegisters(FunctionCode& code) = 0;
  virtual void LowerVariadicStart(FunctionCode& code, const ir::Instruction& intrinsic) = 0;
  // Emits the return from the function, with the check of the guard. The result is already in its
  // registers.
  virtual void EmitReturn(FunctionCode& code) = 0;
  // Leaves the function as EmitReturn does, but jumps to the address in Architecture::callee. The
  // arguments are in their registers.
  virtual void EmitTailJump(FunctionCode& code) = 0;
  // Calls the entry of a poll (stubs/poll_entry.h) of the counter whose address is in
  // Architecture::scratch, and tells it the number of the loop.
  virtual void AskAtPoll(FunctionCode& code, uint32_t loop) = 0;
  // Stores the guard of stack protection to `place`. Changes no register that may hold an argument.
  virtual void StoreGuard(FunctionCode& code, const Mem& place) = 0;
  // Compares what `place` holds with the guard: kE if they are the same. Changes no register that
  // may hold a value.
  virtual void CompareGuard(FunctionCode& code, const Mem& place) = 0;
  // Puts instructions that do nothing here, so that what follows begins at a multiple of
  // FrameStyle::loop_alignment, counted from the function's beginning. The prologue, which is
  // written when its size is known, is filled up for that.
  void AlignLoop(FunctionCode& code);
  // Whether AlignLoop was called in this function: then the function must be aligned, too.
  bool has_aligned_loops() const { return has_aligned_loops_; }
  // Called behind the last block.
  virtual void EndBody(FunctionCode& code) { (void)code; }
  // Writes the prologue in front of the body, and the rows of the unwind table. Returns the offset
  // of the prologue's first byte in the assembler's buffer.
  virtual uint32_t WritePrologue(FunctionCode& code) = 0;
  // Their offsets are offsets in the assembler's buffer.
  std::vector<UnwindRow>& rows() { return rows_; }

 protected:
  // Forgets the last function.
  void Restart(bool is_protected) {
    is_protected_ = is_protected;
    has_aligned_loops_ = false;
    rows_.clear();
  }
  // The size that the prologue will probably have. The better the guess, the fewer instructions
  // fill the prologue up.
  virtual uint32_t ExpectedPrologue(const FunctionCode& code) const = 0;
  // In a function with aligned loops: fills `prologue` up, of which `missing` more bytes will
  // follow.
  void FillUp(const FunctionCode& code, Assembler& prologue, uint32_t missing) const;
  // Fills `prologue` up, copies it to just before the body and returns its start. `rows`: the
  // prologue's, whose offsets are relative to its start.
  uint32_t PutInFront(FunctionCode& code, Assembler& prologue, std::vector<UnwindRow>& rows);

  // Sets the registers to zero that must not show what the function has computed with.
  static void ClearRegisters(FunctionCode& code);

  std::vector<UnwindRow> rows_;

 private:
  bool is_protected_ = false;
  bool has_aligned_loops_ = false;
  uint32_t expected_prologue_ = 0;  // If has_aligned_loops_.
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_NATIVE_FRAME_H_
