#include "base/byte_buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <utility>

namespace firstcall {
namespace {

constexpr size_t kLarge = size_t{512} << 10;
constexpr size_t kHugePage = size_t{2} << 20;  // Of x86-64, and of AArch64 with pages of 4 KiB.

// Memory of its own for `size` bytes, that begins at a multiple of kHugePage and has no pages yet.
// Null if there is none.
char* MapHugePages(size_t size) {
  // There is such a multiple among the first bytes, and as many bytes are unmapped again.
  void* const mapping = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  char* const first = static_cast<char*>(mapping);
  const size_t before = -reinterpret_cast<uintptr_t>(first) % kHugePage;
  char* const begin = first + before;
  if (before != 0) munmap(first, before);
  munmap(begin + size, kHugePage - before);
  // A kernel without huge pages refuses.
  (void)madvise(begin, size, MADV_HUGEPAGE);
  return begin;
}

}  // namespace

void ByteBuffer::Free::operator()(char* memory) const {
  if (mapped == 0) {
    delete[] memory;
  } else {
    munmap(memory, mapped);
  }
}

ByteBuffer::ByteBuffer(std::string bytes) : string_(std::move(bytes)) {}

ByteBuffer ByteBuffer::Uninitialized(size_t size) {
  ByteBuffer buffer;
  buffer.size_ = size;
  if (size >= kLarge) {
    const size_t mapped = (size + kHugePage - 1) & ~(kHugePage - 1);
    buffer.memory_ = {MapHugePages(mapped), Free(mapped)};
  }
  if (buffer.memory_ == nullptr) buffer.memory_ = {new char[size], Free()};
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
