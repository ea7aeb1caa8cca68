// The registers of AArch64. Tested in tests/baseline/assembler_aarch64_test.cc.

#ifndef FIRSTCALL_BASELINE_REGISTERS_AARCH64_H_
#define FIRSTCALL_BASELINE_REGISTERS_AARCH64_H_

#include "baseline/registers.h"

namespace firstcall::baseline::aarch64 {

// X(31) is the stack pointer. The zero register, which shares its encoding, has no number here: the
// assembler uses it where an instruction wants it.
constexpr Register X(unsigned number) { return GeneralRegister(number); }
constexpr Register V(unsigned number) { return VectorRegister(number); }

inline constexpr Register kFramePointer = X(29), kLinkRegister = X(30), kStackPointer = X(31);

// The assembler's own, for sequences: addresses in the first, values in the second. Nothing else
// lives there, because linkers may change them between a call and the function it reaches.
inline constexpr Register kAddressScratch = X(16), kValueScratch = X(17);
inline constexpr Register kVectorValueScratch = V(29);
// The code generator's: a general and two vector registers that are free between any two
// instructions of LLVM IR.
inline constexpr Register kScratch = X(15);
inline constexpr Register kCycleScratch = V(30), kVectorScratch = V(31);

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BASELINE_REGISTERS_AARCH64_H_
