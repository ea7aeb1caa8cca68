// Appends little-endian numbers to a vector of bytes; for the encoders.
//
// Thread-compatible. Tested in tests/stubs/stub_x86_64_test.cc.

#ifndef FIRSTCALL_STUBS_BYTE_WRITER_H_
#define FIRSTCALL_STUBS_BYTE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace firstcall {

class ByteWriter {
 public:
  size_t size() const { return bytes_.size(); }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

  void Bytes(std::initializer_list<uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes); }

  // Appends the lowest `size` bytes of `value`.
  void Number(uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) bytes_.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  void Number32(uint64_t value) { Number(value, 4); }
  void Number64(uint64_t value) { Number(value, 8); }

  // Appends `filler` until there are `size` bytes in total.
  void PadTo(size_t size, uint8_t filler) { bytes_.resize(size, filler); }

  // Replaces the four bytes at `offset`.
  void Patch32(size_t offset, uint32_t value) {
    for (size_t i = 0; i < 4; ++i) bytes_[offset + i] = static_cast<uint8_t>(value >> (8 * i));
  }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_BYTE_WRITER_H_
