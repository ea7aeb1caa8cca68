// The registers of AArch64 that a call may find something in. For registers.h.

#ifndef FIRSTCALL_TESTS_STUBS_REGISTERS_AARCH64_H_
#define FIRSTCALL_TESTS_STUBS_REGISTERS_AARCH64_H_

#include <cstdint>

namespace firstcall {

// The layout is known to registers_aarch64.S.
struct alignas(64) RegisterImage {
  uint64_t integers[28];  // x0 to x15, x18 to x29: all but what a call itself may or must change.
  uint64_t unused[4];
  // z0 to z31, each as long as this CPU's vectors, at most 256 bytes; or q0 to q31.
  uint8_t vectors[32 * 256];
  uint8_t predicates[17 * 32];  // p0 to p15 and the first-fault register, an eighth as long each.
};

enum class VectorLevel : uint32_t {
  kNeon = 0,
  kSve = 1,
};

extern "C" {
// Bytes of a vector of SVE.
uint64_t firstcall_test_vector_length();
}

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_STUBS_REGISTERS_AARCH64_H_
