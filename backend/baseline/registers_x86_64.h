// The registers of x86-64. Tested in tests/backend/baseline/assembler_x86_64_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_REGISTERS_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_REGISTERS_X86_64_H_

#include <cstdint>

#include "backend/baseline/registers.h"

namespace firstcall::baseline::x86_64 {

inline constexpr Register kRax = GeneralRegister(0), kRcx = GeneralRegister(1),
                          kRdx = GeneralRegister(2), kRbx = GeneralRegister(3),
                          kRsp = GeneralRegister(4), kRbp = GeneralRegister(5),
                          kRsi = GeneralRegister(6), kRdi = GeneralRegister(7),
                          kR8 = GeneralRegister(8), kR9 = GeneralRegister(9),
                          kR10 = GeneralRegister(10), kR11 = GeneralRegister(11),
                          kR12 = GeneralRegister(12), kR13 = GeneralRegister(13),
                          kR14 = GeneralRegister(14), kR15 = GeneralRegister(15);

constexpr Register Xmm(unsigned number) { return VectorRegister(number); }
inline constexpr Register kXmm0 = Xmm(0), kXmm1 = Xmm(1), kXmm2 = Xmm(2), kXmm3 = Xmm(3),
                          kXmm4 = Xmm(4), kXmm5 = Xmm(5), kXmm6 = Xmm(6), kXmm7 = Xmm(7),
                          kXmm8 = Xmm(8), kXmm9 = Xmm(9), kXmm10 = Xmm(10), kXmm11 = Xmm(11),
                          kXmm12 = Xmm(12), kXmm13 = Xmm(13), kXmm14 = Xmm(14), kXmm15 = Xmm(15);

// DWARF's numbers of the general registers, and of the first vector register (psABI, figure 3.36).
inline constexpr uint8_t kDwarfNumbers[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
inline constexpr uint8_t kFirstDwarfVector = 17;

// Architecture::scratch, vector_scratch and cycle_scratch.
inline constexpr Register kScratch = kR11;
inline constexpr Register kVectorScratch = kXmm15;
inline constexpr Register kCycleScratch = kXmm14;

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_REGISTERS_X86_64_H_
