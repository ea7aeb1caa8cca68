#include "memory/block_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/round_up.h"

extern "C" {
// Of the leak sanitizer, if it is there: looks for pointers in this memory, too.
__attribute__((weak)) void __lsan_register_root_region(const void* begin, size_t size);
__attribute__((weak)) void __lsan_unregister_root_region(const void* begin, size_t size);
}

namespace firstcall {
namespace {

// Pages of the system are at least this large; a multiple of any that exists on these processors.
constexpr size_t kPage = size_t{1} << 16;

void* MapPages(size_t size) {
  void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(pages, size);
  return pages;
}

void UnmapPages(void* pages, size_t size) {
  if (__lsan_unregister_root_region != nullptr) __lsan_unregister_root_region(pages, size);
  munmap(pages, size);
}

}  // namespace

void* BlockPool::AllocatePages(size_t size) {
  size = RoundUp(size, kPage);
  void* const pages = MapPages(size);
  if (pages != nullptr) bytes_ += size;
  return pages;
}

void BlockPool::FreePages(void* pages, size_t size) {
  size = RoundUp(size, kPage);
  UnmapPages(pages, size);
  bytes_ -= size;
}

size_t BlockPool::ClassOf(size_t size, size_t alignment) {
  size_t number = 0;
  while (number < kClasses && (kSmallest << number) < std::max(size, alignment)) ++number;
  return number;
}

void* BlockPool::Allocate(size_t size, size_t alignment) {
  const size_t number = ClassOf(size, alignment);
  if (number < kClasses) return AllocateSmall(number);
  if (size > SIZE_MAX / 2 - alignment) return nullptr;
  // The beginning of the pages is kept in front of the block.
  const size_t room = std::max(alignment, sizeof(void*));
  auto* const pages = static_cast<char*>(AllocatePages(size + room));
  if (pages == nullptr) return nullptr;
  const auto first = reinterpret_cast<uintptr_t>(pages) + sizeof(void*);
  auto* const block = pages + (RoundUp(first, alignment) - reinterpret_cast<uintptr_t>(pages));
  reinterpret_cast<void**>(block)[-1] = pages;
  return block;
}

void BlockPool::Free(void* block, size_t size, size_t alignment) {
  const size_t number = ClassOf(size, alignment);
  if (number == kClasses) {
    return FreePages(static_cast<void**>(block)[-1], size + std::max(alignment, sizeof(void*)));
  }
  auto* const freed = static_cast<FreeBlock*>(block);
  freed->next = free_[number];
  free_[number] = freed;
}

void* BlockPool::AllocateSmall(size_t number) {
  if (FreeBlock* const found = free_[number]) {
    free_[number] = found->next;
    return found;
  }
  // Aligned to its size, as the pages are.
  const size_t size = kSmallest << number;
  const size_t gap = (size - reinterpret_cast<uintptr_t>(rest_) % size) % size;
  if (rest_size_ < gap + size) {
    auto* const pages = static_cast<char*>(AllocatePages(kPage));
    if (pages == nullptr) return nullptr;
    rest_ = pages;
    rest_size_ = kPage;
    return AllocateSmall(number);
  }
  void* const block = rest_ + gap;
  rest_ += gap + size;
  rest_size_ -= gap + size;
  return block;
}

}  // namespace firstcall
