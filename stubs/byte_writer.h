// Appends little-endian numbers to a vector of bytes; for the encoders.
//
// Thread-compatible. Tested in tests/stubs/stub_x86_64_test.cc.

#ifndef FIRSTCALL_STUBS_BYTE_WRITER_H_
#define FIRSTCALL_STUBS_BYTE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

namespace firstcall {

class ByteWriter {
 public:
  size_t size() const { return bytes_.size(); }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

  void Bytes(std::initializer_list<uint8_t> bytes) { Append(bytes.begin(), bytes.size()); }

  // Appends the lowest `size` bytes of `value`.
  void Number(uint64_t value, size_t size) {
    uint8_t bytes[sizeof(value)];
    for (size_t i = 0; i < sizeof(value); ++i) bytes[i] = static_cast<uint8_t>(value >> (8 * i));
    Append(bytes, size);
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
  void Append(const uint8_t* bytes, size_t size) {
    const size_t end = bytes_.size();
    bytes_.resize(end + size);
    std::memcpy(bytes_.data() + end, bytes, size);
  }

  std::vector<uint8_t> bytes_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_BYTE_WRITER_H_
