// Calls a function with chosen contents of every register and tells what it found in them.

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

extern "C" {
// What the two functions below work on.
extern RegisterImage firstcall_test_given;
extern RegisterImage firstcall_test_found;
extern const void* firstcall_test_callee;
extern VectorLevel firstcall_test_level;

// Calls firstcall_test_callee with registers as firstcall_test_given has them. Not thread-safe.
void firstcall_test_call_with_registers();

// Fills firstcall_test_found with what it was called with.
void firstcall_test_find_registers();

// Overwrites every register that a function may change.
void firstcall_test_clobber_registers();
}

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_STUBS_REGISTERS_X86_64_H_
