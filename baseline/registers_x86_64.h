// The registers of x86-64 under their encodings, general ones first, then vector registers. Tested
// in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_REGISTERS_X86_64_H_
#define FIRSTCALL_BASELINE_REGISTERS_X86_64_H_

#include <cstdint>

namespace firstcall::baseline {

enum Register : uint8_t {
  kRax,
  kRcx,
  kRdx,
  kRbx,
  kRsp,
  kRbp,
  kRsi,
  kRdi,
  kR8,
  kR9,
  kR10,
  kR11,
  kR12,
  kR13,
  kR14,
  kR15,
  kXmm0,
  kXmm1,
  kXmm2,
  kXmm3,
  kXmm4,
  kXmm5,
  kXmm6,
  kXmm7,
  kXmm8,
  kXmm9,
  kXmm10,
  kXmm11,
  kXmm12,
  kXmm13,
  kXmm14,
  kXmm15,
  kNoRegister = 0xff,
};

inline constexpr unsigned kRegisterCount = 32;

using RegisterSet = uint32_t;
constexpr RegisterSet SetOf(Register reg) { return RegisterSet{1} << reg; }
constexpr bool IsVector(Register reg) { return reg >= kXmm0; }

// Never allocated. The code generator needs a general and two vector registers between any two
// instructions: to move from memory to memory, to break cycles of moves, to reach far symbols.
inline constexpr Register kScratch = kR11;
inline constexpr Register kVectorScratch = kXmm15;
inline constexpr Register kCycleScratch = kXmm14;

// System V psABI 3.2.1.
inline constexpr RegisterSet kCalleeSaved =
    SetOf(kRbx) | SetOf(kRbp) | SetOf(kRsp) | SetOf(kR12) | SetOf(kR13) | SetOf(kR14) | SetOf(kR15);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_REGISTERS_X86_64_H_
