// Bytes that can be changed: a string, or memory whose bytes are not set before they are read from
// a file. (A string sets them to zero first, which takes as long as reading them.)
//
// Thread-compatible. Tested in tests/base/byte_buffer_test.cc.

#ifndef FIRSTCALL_BASE_BYTE_BUFFER_H_
#define FIRSTCALL_BASE_BYTE_BUFFER_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

class ByteBuffer {
 public:
  ByteBuffer() = default;
  ByteBuffer(std::string bytes);                     // NOLINT: a string is such a buffer.
  ByteBuffer(const char* bytes) : string_(bytes) {}  // NOLINT
  explicit ByteBuffer(absl::string_view bytes) : string_(bytes) {}

  // A buffer of `size` bytes that were not set. From 512 KiB on, it asks the kernel for huge pages:
  // 1 MiB in pages of 4 KiB takes longer to get than to read.
  static ByteBuffer Uninitialized(size_t size);

  // A copy has a string.
  ByteBuffer(const ByteBuffer& other);
  ByteBuffer(ByteBuffer&& other) noexcept;
  ByteBuffer& operator=(ByteBuffer other) noexcept;

  char* data() { return memory_ == nullptr ? string_.data() : memory_.get(); }
  const char* data() const { return memory_ == nullptr ? string_.data() : memory_.get(); }
  size_t size() const { return memory_ == nullptr ? string_.size() : size_; }
  bool empty() const { return size() == 0; }
  const char* begin() const { return data(); }
  const char* end() const { return data() + size(); }
  operator absl::string_view() const { return {data(), size()}; }  // NOLINT: as a string has it.
  explicit operator std::string() const { return std::string(data(), size()); }

  // Leaves the first `size` bytes, which must not be more than there are.
  void Truncate(size_t size);

  friend bool operator==(const ByteBuffer& a, absl::string_view b) {
    return absl::string_view(a) == b;
  }

 private:
  // Frees what Uninitialized has got.
  struct Free {
    Free() : mapped(0) {}
    explicit Free(size_t bytes) : mapped(bytes) {}
    void operator()(char* memory) const;
    size_t mapped;  // Bytes of a mapping; zero: the memory is of the heap.
  };

  std::string string_;                    // If there is no memory_.
  std::unique_ptr<char[], Free> memory_;  // Has size_ bytes, or more after Truncate.
  size_t size_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_BYTE_BUFFER_H_
