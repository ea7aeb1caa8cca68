#include "tests/bitcode/allocation_meter.h"

#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace firstcall::testing {
namespace {

// Bytes in use since Start; negative if more was freed than allocated. Constant-initialized: other
// objects' constructors allocate.
std::atomic<int64_t> in_use{0};
std::atomic<int64_t> peak{0};
std::atomic<int64_t> most_allowed{INT64_MAX};

}  // namespace

void AllocationMeter::Start(size_t limit) {
  in_use = 0;
  peak = 0;
  most_allowed = static_cast<int64_t>(limit);
}

void AllocationMeter::Stop() { most_allowed = INT64_MAX; }

size_t AllocationMeter::Peak() { return static_cast<size_t>(peak.load()); }

namespace {

// Null if there is no memory.
void* Allocate(size_t size) {
  if (size > static_cast<uint64_t>(INT64_MAX) ||
      in_use + static_cast<int64_t>(size) > most_allowed) {
    const int64_t used = in_use, limit = most_allowed;
    AllocationMeter::Stop();
    std::fprintf(stderr, "an allocation of %zu bytes besides %lld is beyond the limit %lld\n", size,
                 static_cast<long long>(used), static_cast<long long>(limit));
    std::abort();
  }
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) return nullptr;
  const int64_t now = in_use += static_cast<int64_t>(malloc_usable_size(block));
  int64_t highest = peak;
  while (now > highest && !peak.compare_exchange_weak(highest, now)) {
  }
  return block;
}

void Free(void* block) {
  if (block == nullptr) return;
  in_use -= static_cast<int64_t>(malloc_usable_size(block));
  std::free(block);
}

void* AllocateOrThrow(size_t size) {
  void* const block = Allocate(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace
}  // namespace firstcall::testing

void* operator new(size_t size) { return firstcall::testing::AllocateOrThrow(size); }
void* operator new[](size_t size) { return firstcall::testing::AllocateOrThrow(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return firstcall::testing::Allocate(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return firstcall::testing::Allocate(size);
}
void operator delete(void* block) noexcept { firstcall::testing::Free(block); }
void operator delete[](void* block) noexcept { firstcall::testing::Free(block); }
void operator delete(void* block, size_t) noexcept { firstcall::testing::Free(block); }
void operator delete[](void* block, size_t) noexcept { firstcall::testing::Free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept {
  firstcall::testing::Free(block);
}
void operator delete[](void* block, const std::nothrow_t&) noexcept {
  firstcall::testing::Free(block);
}
