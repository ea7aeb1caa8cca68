// Writes numbers in LEB128, the form of variable length of DWARF's tables (DWARF 4, section 7.6).
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/leb128_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LEB128_H_
#define FIRSTCALL_BACKEND_BASELINE_LEB128_H_

#include <cstdint>

namespace firstcall::baseline {

// The largest size of a number, in bytes.
inline constexpr unsigned kMostLeb128Bytes = 10;

// Writes `value` to `out` and returns the end of what is written.
inline uint8_t* PutUnsignedLeb128(uint64_t value, uint8_t* out) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<uint8_t>(value | 0x80);
  *out++ = static_cast<uint8_t>(value);
  return out;
}

// The same for a signed number.
inline uint8_t* PutSignedLeb128(int64_t value, uint8_t* out) {
  for (; value < -0x40 || value >= 0x40; value >>= 7) *out++ = static_cast<uint8_t>(value | 0x80);
  *out++ = static_cast<uint8_t>(value & 0x7f);
  return out;
}

// The bytes that PutUnsignedLeb128 writes.
inline unsigned UnsignedLeb128Size(uint64_t value) {
  unsigned size = 1;
  while (value >>= 7) ++size;
  return size;
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LEB128_H_
