// Decides which functions, instructions and constants the baseline code generator compiles.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_COVERAGE_H_
#define FIRSTCALL_BACKEND_BASELINE_COVERAGE_H_

#include <cstdint>

#include "backend/baseline/architecture.h"
#include "backend/baseline/refusal.h"
#include "ir/attributes.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/intrinsic.h"

namespace firstcall::baseline {

// The attribute of functions whose large frames must be probed (stack_probe.h).
inline constexpr char kStackProbe[] = "probe-stack";

struct CoverageOptions {
  bool has_rounding = false;  // Has instructions that round to integral values.
  bool has_popcnt = false;
  bool has_avx = false;     // x86-64 has vector registers of more than 16 bytes.
  bool has_fusion = false;  // x86-64 has fused multiply-add instructions (not supported here).
  // x86-64 converts between half and float by instructions; otherwise functions of a library do.
  bool has_half_conversions = false;
  // LLVM converts to bfloat by instructions that take denormal numbers for zero.
  bool flushes_bfloat = false;
  // Atomic comparisons and exchanges of 128 bits; atomic loads and stores of 128 aligned bits.
  bool has_wide_exchange = false;
  bool has_wide_accesses = false;
  bool has_atomic_updates = false;  // AArch64 has atomic update instructions (LSE).
  // The target keeps the guard of stack protection where Linux keeps it.
  bool has_stack_guard = false;
  bool has_assembler = false;      // There is an assembler for the text of inline assembly.
  bool has_few_registers = false;  // For tests: no value gets a fixed register.
  // Addresses of thread-local variables are computed by calls (BaselineOptions).
  bool emulates_thread_locals = false;
  bool refuses_thread_locals = false;
  // Debug information is left out, and no reason to refuse a function.
  bool ignores_debug_information = false;
};

// The refusal because of the function's attributes and its signature.
Refusal RefusalOf(const ir::Function& function, const Architecture& architecture,
                  const CoverageOptions& options);

// Whether LLVM passes arguments and results of the function, and of those that it calls, in vector
// registers of more than 16 bytes if they have so many.
bool UsesWideRegisters(const ir::Function& function, const Architecture& architecture,
                       const CoverageOptions& options);

// `instruction` must be of `function`, here and below. If the instruction calls llvm.fmuladd, the
// caller must ask FusesMultiplications (function_features.h) too: the answer holds for the whole
// function.
Refusal RefusalOf(const ir::Function& function, const ir::Instruction& instruction,
                  const Architecture& architecture, const CoverageOptions& options);

// Whether the instruction computes the address of a thread-local variable.
bool ComputesThreadLocal(const ir::Function& function, const ir::Instruction& instruction);

// Whether the lowering of an instruction may emit a call, which changes registers. The call of a
// descriptor's resolver changes none; `emulates_thread_locals`: there are none. MayBeCall is the
// same, and called only for other than the most frequent kinds, which emit none.
bool MayBeCall(const ir::Function& function, const ir::Instruction& instruction,
               bool emulates_thread_locals);
inline bool MayCall(const ir::Function& function, const ir::Instruction& instruction,
                    bool emulates_thread_locals) {
  switch (instruction.opcode) {
    case ir::Opcode::kRet:
    case ir::Opcode::kBr:
    case ir::Opcode::kAdd:
    case ir::Opcode::kSub:
    case ir::Opcode::kAnd:
    case ir::Opcode::kOr:
    case ir::Opcode::kAlloca:
    case ir::Opcode::kLoad:
    case ir::Opcode::kStore:
    case ir::Opcode::kGetElementPtr:
    case ir::Opcode::kTrunc:
    case ir::Opcode::kZExt:
    case ir::Opcode::kSExt:
    case ir::Opcode::kICmp:
    case ir::Opcode::kPhi:
    case ir::Opcode::kSelect:
      return false;
    default:
      return MayBeCall(function, instruction, emulates_thread_locals);
  }
}

// The thread-local variable whose address the instruction, a kFreeze of the variable, computes.
// Null if it is another one. As an operand of other instructions, such a variable is not covered
// (constant_expansion.h).
const ir::Global* ThreadLocalOf(const ir::Function& function, const ir::Instruction& freeze);

// Whether the call may return twice, as that of setjmp does.
bool ReturnsTwice(const ir::Function& function, const ir::Instruction& call);

// Whether the instruction may write to memory, as LLVM understands that. Every call of a function
// that is no intrinsic counts, whatever its attributes say, and every strict instruction, because
// exceptions are as if they were in memory. MayCallWrite is for calls that are not strict.
bool MayCallWrite(const ir::Function& function, const ir::Instruction& call);
inline bool MayWriteToMemory(const ir::Function& function, const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case ir::Opcode::kStore:
    case ir::Opcode::kFence:
    case ir::Opcode::kCmpXchg:
    case ir::Opcode::kAtomicRmw:
    case ir::Opcode::kVAArg:
    case ir::Opcode::kInvoke:
    case ir::Opcode::kCallBr:
    case ir::Opcode::kCatchPad:
    case ir::Opcode::kCatchRet:
      return true;
    case ir::Opcode::kLoad:
      return instruction.is_volatile ||
             instruction.ordering > static_cast<uint8_t>(ir::Ordering::kUnordered);
    case ir::Opcode::kCall:
      return instruction.is_strict || MayCallWrite(function, instruction);
    default:
      return instruction.is_strict;
  }
}

// Whether the intrinsic is an instruction of SSE or SSE2 (sse_intrinsics.h).
inline bool IsSseIntrinsic(ir::IntrinsicId intrinsic) {
  return intrinsic >= ir::IntrinsicId::kX86SseCvtss2si &&
         intrinsic <= ir::IntrinsicId::kX86Sse2PsrliW;
}

// Whether an argument may be passed by value. If false, ArgumentHas, which is slower, need not be
// asked for kByVal.
bool MayPassByValue(const ir::Function& function, const ir::Instruction& call);

// Whether argument number `index` of the call has the attribute: in the call itself, or in the
// parameters of the function that is called by its name.
bool ArgumentHas(const ir::Function& function, const ir::Instruction& call, unsigned index,
                 ir::Attribute attribute);

// The alignment, in bytes, of the memory that a parameter with these attributes passes by value.
// The attributes must have kByVal.
uint64_t ByValueAlignment(const ir::AttributeSet& attributes);

// The dedicated register of a parameter: that of the address of the result (sret), or of one of
// Swift's attributes. kNoRegister if the parameter has an ordinary place (ArgumentPlaces).
Register OwnRegisterOf(const ir::Function& function, uint32_t parameter,
                       const Architecture& architecture);

// The same for the arguments of a call. What all arguments have in common is found out once.
class OwnRegisters {
 public:
  // The arguments must outlive the object. `of_swift` has at least the registers of
  // SwiftRegistersOf(call): attributes of others are not looked for.
  OwnRegisters(const ir::Function& function, const ir::Instruction& call,
               const Architecture& architecture, RegisterSet of_swift);

  Register Of(unsigned index) const { return has_any_ ? Find(index) : kNoRegister; }

  // Whether the register of swifterror is one of them.
  bool has_error() const { return has_error_; }

 private:
  Register Find(unsigned index) const;

  const ir::Function& function_;
  const ir::Instruction& call_;
  const Architecture& architecture_;
  Register result_address_ = kNoRegister;
  bool has_error_ = false;
  bool has_self_ = false;
  bool has_any_ = false;
};

// The registers that the caller changes because of Swift's attributes of the call's arguments.
RegisterSet SwiftRegistersOf(const ir::Function& function, const ir::Instruction& call,
                             const Architecture& architecture);

// Whether the instruction is an alloca that gets a place in the frame for the whole run of the
// function: in the entry block, with a constant number of elements, and without `inalloca`.
bool IsStaticAlloca(const ir::Function& function, const ir::Instruction& instruction);

// Whether the alloca is aligned to more than frames are.
inline bool IsOverAligned(const ir::Instruction& alloca) { return alloca.alignment() > 16; }

// Whether the intrinsic needs no machine code.
bool IsNoOperation(ir::IntrinsicId intrinsic);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_COVERAGE_H_
