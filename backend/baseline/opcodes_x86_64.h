// Opcodes that the code generator passes to AssemblerX86_64::Rr and Rm, by their names in the
// manual (Intel SDM volume 2).
//
// Thread-safe: constants. Tested in tests/backend/baseline/assembler_x86_64_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_OPCODES_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_OPCODES_X86_64_H_

#include "backend/baseline/assembler_x86_64.h"

namespace firstcall::baseline::x86_64::op {

// ---- Floating point ----
// An opcode whose name ends in F is made complete by Scalar or Packed: ADDSS, ADDSD; ADDPS, ADDPD.
constexpr Op Scalar(Op op, bool is_double) { return op | (is_double ? kF2 : kF3); }
constexpr Op Packed(Op op, bool is_double) { return op | (is_double ? k66 : 0); }

inline constexpr Op kAddF = k0F | 0x58, kSubF = k0F | 0x5c, kMulF = k0F | 0x59;
inline constexpr Op kDivF = k0F | 0x5e, kSqrtF = k0F | 0x51;
// Completed by Scalar with the result's type: CVTSI2SS, CVTSI2SD. With the operand's type:
// CVTTSS2SI, CVTTSD2SI; and CVTSS2SD, CVTSD2SS.
inline constexpr Op kCvtsi2F = k0F | 0x2a, kCvttF2si = k0F | 0x2c, kCvtF = k0F | 0x5a;
// Completed by Packed, although the instructions compare scalars: UCOMISS, UCOMISD; COMISS, COMISD.
inline constexpr Op kUcomiF = k0F | 0x2e, kComiF = k0F | 0x2f;
// Completed by Packed: CMPPS, CMPPD (an immediate byte selects the comparison); MOVMSKPS, MOVMSKPD.
inline constexpr Op kCmpF = k0F | 0xc2, kMovmskF = k0F | 0x50;
inline constexpr Op kAndps = k0F | 0x54, kOrps = k0F | 0x56, kXorps = k0F | 0x57;
inline constexpr Op kMovaps = k0F | 0x28, kMovapsStore = k0F | 0x29;
inline constexpr Op kMovhlps = k0F | 0x12, kUnpcklps = k0F | 0x14;
// An immediate byte selects the rounding mode (SSE4.1).
inline constexpr Op kRoundss = k66 | k0F3A | 0x0a, kRoundsd = k66 | k0F3A | 0x0b;

// ---- Vectors of integers ----
// Indexed by the logarithm of the lane size in bytes: PADDB to PADDQ, PSUBB to PSUBQ.
inline constexpr Op kPadd[] = {k66 | k0F | 0xfc, k66 | k0F | 0xfd, k66 | k0F | 0xfe,
                               k66 | k0F | 0xd4};
inline constexpr Op kPsub[] = {k66 | k0F | 0xf8, k66 | k0F | 0xf9, k66 | k0F | 0xfa,
                               k66 | k0F | 0xfb};
inline constexpr Op kPand = k66 | k0F | 0xdb, kPor = k66 | k0F | 0xeb, kPxor = k66 | k0F | 0xef;
inline constexpr Op kPacksswb = k66 | k0F | 0x63, kPmovmskb = k66 | k0F | 0xd7;
inline constexpr Op kPunpcklqdq = k66 | k0F | 0x6c;

// ---- Bits of integers. AssemblerX86_64::Wide adds the operand size ----
inline constexpr Op kBsf = k0F | 0xbc, kBsr = k0F | 0xbd, kPopcnt = kF3 | k0F | 0xb8;

}  // namespace firstcall::baseline::x86_64::op

#endif  // FIRSTCALL_BACKEND_BASELINE_OPCODES_X86_64_H_
