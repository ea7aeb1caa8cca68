// The registers that C passes values in, on the architecture this library is built for: System V
// ABI, AMD64 supplement, section 3.2.3; Procedure Call Standard for the Arm 64-bit Architecture
// (AAPCS64), sections 5.9.5 and 6.8.2.
//
// Thread-compatible. Types must be valid (CheckValues in foreign/foreign_call). Tested in
// tests/foreign/foreign_call_test.cc.

#ifndef FIRSTCALL_FOREIGN_ARGUMENT_REGISTERS_H_
#define FIRSTCALL_FOREIGN_ARGUMENT_REGISTERS_H_

#include <cstddef>
#include <optional>

#include "foreign/foreign_value.h"

namespace firstcall {

#if defined(__aarch64__)
inline constexpr bool kIsAArch64 = true;
inline constexpr bool kIsX8664 = false;
#elif defined(__x86_64__)
inline constexpr bool kIsAArch64 = false;
inline constexpr bool kIsX8664 = true;
#else
inline constexpr bool kIsAArch64 = false;
inline constexpr bool kIsX8664 = false;
#endif
// On other architectures only scalars are supported.
inline constexpr bool kPassesStructs = kIsAArch64 || kIsX8664;

// A value that gets no registers is either stored on the stack itself, or copied, and the address
// of the copy is passed.
inline constexpr bool kPassesLargeValuesByAddress = kIsAArch64;
// The address of a result in memory is either passed as the first integer argument, or in a
// register that no argument uses.
inline constexpr bool kResultAddressIsAnArgument = !kIsAArch64;
// LLVM keeps the elements of an array together, as C keeps a struct: all in registers, or all on
// the stack.
inline constexpr bool kKeepsArraysTogether = kIsAArch64;

// The registers that one value takes: one for each eight bytes, or one for each member of a
// homogeneous aggregate.
struct RegisterParts {
  static constexpr size_t kMost = 4;

  size_t count = 0;
  bool is_vector[kMost] = {};
  bool is_pointer[kMost] = {};
  size_t used[kMost] = {};   // Bytes of each register, up to the end of the last field.
  bool starts_even = false;  // The first register is even; an odd one before it is left out.

  size_t vectors() const {
    size_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum += is_vector[i];
    return sum;
  }
  size_t integers() const { return count - vectors(); }
};

// Nothing if the value gets no registers.
std::optional<RegisterParts> RegisterPartsOf(const ForeignType& type);

// Counts the registers that the arguments of one call take, in order.
class ArgumentRegisters {
 public:
  bool HasRoomFor(const RegisterParts& parts) const;
  // Takes registers for the next argument. If they do not suffice, it goes to the stack.
  void Take(const RegisterParts& parts);
  // Takes the register of an argument that is passed by its address.
  void TakeAddress();

  // Integer registers that Take would leave out.
  size_t LeftOutFor(const RegisterParts& parts) const;
  size_t integers_left() const;

 private:
  size_t integers_ = 0;
  size_t vectors_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_FOREIGN_ARGUMENT_REGISTERS_H_
