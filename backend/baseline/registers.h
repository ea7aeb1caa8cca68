// Register numbers, in the form that the architecture-independent code uses: general registers from
// 0, vector registers from 32, each in the order of its encoding.
//
// Thread-safe: constants. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_REGISTERS_H_
#define FIRSTCALL_BACKEND_BASELINE_REGISTERS_H_

#include <cstdint>

namespace firstcall::baseline {

// registers_<architecture>.h names them.
enum Register : uint8_t { kFirstVector = 32, kNoRegister = 0xff };

inline constexpr unsigned kRegisterCount = 64;

constexpr Register GeneralRegister(unsigned number) { return static_cast<Register>(number); }
constexpr Register VectorRegister(unsigned number) {
  return static_cast<Register>(kFirstVector + number);
}
constexpr bool IsVector(Register reg) { return reg >= kFirstVector; }

using RegisterSet = uint64_t;
constexpr RegisterSet SetOf(Register reg) { return RegisterSet{1} << reg; }
// The registers from `first` to `last`, both included.
constexpr RegisterSet SetOf(Register first, Register last) {
  return (SetOf(last) - SetOf(first)) | SetOf(last);
}
inline constexpr RegisterSet kGeneralRegisters = 0xffffffffu;

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_REGISTERS_H_
