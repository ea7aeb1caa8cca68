// The numbers of DWARF (version 4, section 7) and of the Linux Standard Base that unwind tables and
// exception tables of code consist of.
//
// Constants only.

#ifndef FIRSTCALL_BACKEND_BASELINE_DWARF_H_
#define FIRSTCALL_BACKEND_BASELINE_DWARF_H_

#include <cstdint>

namespace firstcall::baseline::dwarf {

// Instructions of unwind tables (DW_CFA_...). The first three have an operand in their lowest six
// bits.
inline constexpr uint8_t kAdvanceLocation = 0x40;
inline constexpr uint8_t kOffset = 0x80;
inline constexpr uint8_t kRestore = 0xc0;
inline constexpr uint8_t kNop = 0x00;
inline constexpr uint8_t kAdvanceLocation1 = 0x02;
inline constexpr uint8_t kAdvanceLocation4 = 0x04;
inline constexpr uint8_t kOffsetExtended = 0x05;
inline constexpr uint8_t kRestoreExtended = 0x06;
inline constexpr uint8_t kRememberState = 0x0a;
inline constexpr uint8_t kRestoreState = 0x0b;
inline constexpr uint8_t kDefineFrame = 0x0c;
inline constexpr uint8_t kDefineFrameRegister = 0x0d;
inline constexpr uint8_t kDefineFrameOffset = 0x0e;
inline constexpr uint8_t kAArch64NegateReturnAddressState = 0x2d;

// The forms of pointers in tables (DW_EH_PE_...).
inline constexpr uint8_t kAbsolutePointer = 0x00;
inline constexpr uint8_t kUnsigned4 = 0x03;
inline constexpr uint8_t kOmitted = 0xff;

}  // namespace firstcall::baseline::dwarf

#endif  // FIRSTCALL_BACKEND_BASELINE_DWARF_H_
