// A byte buffer for machine code. The buffer is reused from function to function, so that appending
// costs only a store and a comparison.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CODE_BUFFER_H_
#define FIRSTCALL_BACKEND_BASELINE_CODE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "backend/baseline/leb128.h"

namespace firstcall::baseline {

class CodeBuffer {
 public:
  CodeBuffer() { Grow(4096); }

  void Clear() { cursor_ = begin_.get(); }
  size_t size() const { return cursor_ - begin_.get(); }
  const uint8_t* data() const { return begin_.get(); }

  // Makes room for `bytes` more bytes and returns where to write them. AdvanceTo() then sets the
  // end.
  uint8_t* Room(size_t bytes) {
    if (static_cast<size_t>(end_ - cursor_) < bytes) Grow(bytes);
    return cursor_;
  }
  void AdvanceTo(uint8_t* cursor) { cursor_ = cursor; }

  // Appends the lowest `bytes` bytes of `value`, at most 8.
  void Number(uint64_t value, size_t bytes) {
    uint8_t* out = Room(8);
    std::memcpy(out, &value, 8);
    cursor_ = out + bytes;
  }
  // Append a number in LEB128.
  void Unsigned(uint64_t value) { cursor_ = PutUnsignedLeb128(value, Room(kMostLeb128Bytes)); }
  void Signed(int64_t value) { cursor_ = PutSignedLeb128(value, Room(kMostLeb128Bytes)); }
  void Bytes(const void* bytes, size_t size) {
    uint8_t* out = Room(size);
    std::memcpy(out, bytes, size);
    cursor_ = out + size;
  }
  // Appends `filler` until the size is a multiple of `alignment`, a power of two.
  void Align(size_t alignment, uint8_t filler) {
    while ((size() & (alignment - 1)) != 0) Number(filler, 1);
  }
  // The bytes written at `offset`, which may be changed. Appending invalidates the pointer.
  uint8_t* At(size_t offset) { return begin_.get() + offset; }

 private:
  void Grow(size_t bytes) {
    const size_t used = begin_ == nullptr ? 0 : size();
    const size_t capacity = 2 * (used + bytes) + 64;
    std::unique_ptr<uint8_t[]> larger(new uint8_t[capacity]);
    if (used != 0) std::memcpy(larger.get(), begin_.get(), used);
    begin_ = std::move(larger);
    cursor_ = begin_.get() + used;
    end_ = begin_.get() + capacity;
  }

  std::unique_ptr<uint8_t[]> begin_;
  uint8_t* cursor_ = nullptr;
  uint8_t* end_ = nullptr;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CODE_BUFFER_H_
