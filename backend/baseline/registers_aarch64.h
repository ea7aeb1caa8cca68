// The registers of AArch64. Tested in tests/backend/baseline/assembler_aarch64_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_REGISTERS_AARCH64_H_
#define FIRSTCALL_BACKEND_BASELINE_REGISTERS_AARCH64_H_

#include "backend/baseline/registers.h"

namespace firstcall::baseline::aarch64 {

// X(31) is the stack pointer. The zero register shares this encoding and has no number here: the
// assembler uses the zero register where an instruction needs it.
constexpr Register X(unsigned number) { return GeneralRegister(number); }
constexpr Register V(unsigned number) { return VectorRegister(number); }

inline constexpr Register kFramePointer = X(29), kLinkRegister = X(30), kStackPointer = X(31);

// Scratch registers of the assembler, for sequences: kAddressScratch for addresses, kValueScratch
// for values. No other value is kept in these two, because linker veneers may clobber them between
// a call and its callee.
inline constexpr Register kAddressScratch = X(16), kValueScratch = X(17);
inline constexpr Register kVectorValueScratch = V(29);
// Scratch registers of the code generator (Architecture::scratch and so on). They hold no value
// between two instructions of LLVM IR.
inline constexpr Register kScratch = X(15);
inline constexpr Register kCycleScratch = V(30), kVectorScratch = V(31);

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BACKEND_BASELINE_REGISTERS_AARCH64_H_
