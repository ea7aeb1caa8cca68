// Appends little-endian numbers to a vector of bytes; for the encoders.
//
// Thread-compatible. Tested in tests/stubs/stub_x86_64_test.cc.

#ifndef FIRSTCALL_STUBS_BYTE_WRITER_H_
#define FIRSTCALL_STUBS_BYTE_WRITER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

namespace firstcall {

class ByteWriter {
 public:
  size_t size() const { return size_; }
  std::vector<uint8_t> Take() {
    bytes_.resize(size_);
    size_ = 0;
    return std::move(bytes_);
  }

  void Bytes(std::initializer_list<uint8_t> bytes) {
    std::memcpy(Extend(bytes.size()), bytes.begin(), bytes.size());
  }

  // Appends the lowest `size` bytes of `value`. (The compiler makes one store of the loop.)
  void Number(uint64_t value, size_t size) { Put(value, size, Extend(size)); }
  void Number32(uint64_t value) { Put(value, 4, Extend(4)); }
  void Number64(uint64_t value) { Put(value, 8, Extend(8)); }

  // Appends `filler` until there are `size` bytes in total.
  void PadTo(size_t size, uint8_t filler) {
    const size_t count = size - size_;
    std::memset(Extend(count), filler, count);
  }

  // Replaces the four bytes at `offset`.
  void Patch32(size_t offset, uint32_t value) { Put(value, 4, bytes_.data() + offset); }

 private:
  static constexpr size_t kFirstCapacity = 4096;  // Most blocks fit into a page.

  static void Put(uint64_t value, size_t size, uint8_t* place) {
    for (size_t i = 0; i < size; ++i) place[i] = static_cast<uint8_t>(value >> (8 * i));
  }

  // Where the next `size` bytes go.
  uint8_t* Extend(size_t size) {
    const size_t end = size_;
    size_ += size;
    if (size_ > bytes_.size()) bytes_.resize(std::max({size_, 2 * bytes_.size(), kFirstCapacity}));
    return bytes_.data() + end;
  }

  std::vector<uint8_t> bytes_;  // The first size_ are written.
  size_t size_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_BYTE_WRITER_H_
