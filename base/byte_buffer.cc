#include "base/byte_buffer.h"

#include <utility>

namespace firstcall {

ByteBuffer::ByteBuffer(std::string bytes) : string_(std::move(bytes)) {}

ByteBuffer ByteBuffer::Uninitialized(size_t size) {
  ByteBuffer buffer;
  buffer.memory_.reset(new char[size]);
  buffer.size_ = size;
  return buffer;
}

ByteBuffer::ByteBuffer(const ByteBuffer& other) : string_(other.data(), other.size()) {}

ByteBuffer::ByteBuffer(ByteBuffer&& other) noexcept
    : string_(std::move(other.string_)), memory_(std::move(other.memory_)), size_(other.size_) {}

ByteBuffer& ByteBuffer::operator=(ByteBuffer other) noexcept {
  string_.swap(other.string_);
  memory_.swap(other.memory_);
  std::swap(size_, other.size_);
  return *this;
}

void ByteBuffer::Truncate(size_t size) {
  if (memory_ == nullptr) {
    string_.resize(size);
  } else {
    size_ = size;
  }
}

}  // namespace firstcall
