// Which registers C passes values in, on the architecture this is built for: System V ABI, AMD64
// supplement, section 3.2.3; Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64),
// sections 5.9.5 and 6.8.2.
//
// Thread-compatible. Types are valid ones (CheckValues in engine/foreign_call).

#ifndef FIRSTCALL_ENGINE_ARGUMENT_REGISTERS_H_
#define FIRSTCALL_ENGINE_ARGUMENT_REGISTERS_H_

#include <cstddef>
#include <optional>

#include "engine/foreign_value.h"

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
// Of others, only scalars are known.
inline constexpr bool kPassesStructs = kIsAArch64 || kIsX8664;

// A value with no registers of its own is itself on the stack, or is a copy whose address is
// passed.
inline constexpr bool kPassesLargeValuesByAddress = kIsAArch64;
// The address that a result is written to is the first integer argument, or in a register apart.
inline constexpr bool kResultAddressIsAnArgument = !kIsAArch64;
// LLVM keeps the elements of an array together, as C keeps a struct: in registers, or on the stack.
inline constexpr bool kKeepsArraysTogether = kIsAArch64;

// The registers one value takes: one for each eight bytes of it, or for each member of a
// homogeneous aggregate.
struct RegisterParts {
  static constexpr size_t kMost = 4;

  size_t count = 0;
  bool is_vector[kMost] = {};
  bool is_pointer[kMost] = {};
  size_t used[kMost] = {};   // Bytes of each, up to its last field.
  bool starts_even = false;  // In a register with an even number; another one is left out for that.

  size_t vectors() const {
    size_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum += is_vector[i];
    return sum;
  }
  size_t integers() const { return count - vectors(); }
};

// Nothing for what has no registers of its own.
std::optional<RegisterParts> RegisterPartsOf(const ForeignType& type);

// Those that the arguments of one call take, one argument after the other.
class ArgumentRegisters {
 public:
  bool HasRoomFor(const RegisterParts& parts) const;
  // Those of the next argument. Without room, it goes to the stack.
  void Take(const RegisterParts& parts);
  // The one with an address.
  void TakeAddress();

  // Integer registers that Take would leave out.
  size_t LeftOutFor(const RegisterParts& parts) const;
  size_t integers_left() const;

 private:
  size_t integers_ = 0;
  size_t vectors_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_ARGUMENT_REGISTERS_H_
