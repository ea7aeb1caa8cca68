// The registers of x86-64 that a call may find something in. For registers.h.

#ifndef FIRSTCALL_TESTS_STUBS_REGISTERS_X86_64_H_
#define FIRSTCALL_TESTS_STUBS_REGISTERS_X86_64_H_

#include <cstdint>

namespace firstcall {

// The layout is known to registers_x86_64.S.
struct alignas(64) RegisterImage {
  // rax, rbx, rcx, rdx, rsi, rdi, rbp, r8 to r15.
  uint64_t integers[15];
  uint64_t unused;
  uint64_t masks[8];        // k0 to k7.
  uint8_t vectors[32][64];  // zmm0 to zmm31, or as much of them as there is.
};

enum class VectorLevel : uint32_t {
  kSse = 0,     // xmm0 to xmm15.
  kAvx = 1,     // ymm0 to ymm15.
  kAvx512 = 2,  // zmm0 to zmm31, k0 to k7.
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_STUBS_REGISTERS_X86_64_H_
