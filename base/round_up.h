// Rounds sizes and addresses to an alignment. Tested in tests/memory/arena_test.cc.

#ifndef FIRSTCALL_BASE_ROUND_UP_H_
#define FIRSTCALL_BASE_ROUND_UP_H_

#include <cstdint>

namespace firstcall {

// The least multiple of `alignment`, a power of two, that is not less than `value`.
constexpr uint64_t RoundUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_ROUND_UP_H_
