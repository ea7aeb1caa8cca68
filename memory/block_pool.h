// Memory for blocks of any size that come and go, from the system and not from malloc. Small blocks
// have powers of two as sizes, and free ones are used again for blocks of the same size; large ones
// are pages, and are given back.
//
// Thread-compatible; constant-initialized, and never gives back what small blocks use. Tested in
// tests/memory/block_pool_test.cc.

#ifndef FIRSTCALL_MEMORY_BLOCK_POOL_H_
#define FIRSTCALL_MEMORY_BLOCK_POOL_H_

#include <cstddef>

namespace firstcall {

class BlockPool {
 public:
  constexpr BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // `alignment` is a power of two. Null if there is no memory. The contents are not defined.
  void* Allocate(size_t size, size_t alignment);
  // Frees what Allocate has returned for the same size and alignment.
  void Free(void* block, size_t size, size_t alignment);

  // Pages that are zero. As above.
  void* AllocatePages(size_t size);
  void FreePages(void* pages, size_t size);

  // What was taken from the system.
  size_t bytes() const { return bytes_; }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };

  static constexpr size_t kSmallest = 32;
  static constexpr size_t kClasses = 7;  // The largest small block has 2 KiB.

  // The number of the class of small blocks; kClasses for large ones.
  static size_t ClassOf(size_t size, size_t alignment);
  void* AllocateSmall(size_t number);

  FreeBlock* free_[kClasses] = {};
  // What is left of the pages that were taken last for small blocks.
  char* rest_ = nullptr;
  size_t rest_size_ = 0;
  size_t bytes_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_BLOCK_POOL_H_
