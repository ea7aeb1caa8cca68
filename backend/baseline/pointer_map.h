// A map from pointers to numbers that can be cleared in constant time, so that it can be reused for
// each function.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_POINTER_MAP_H_
#define FIRSTCALL_BACKEND_BASELINE_POINTER_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace firstcall::baseline {

class PointerMap {
 public:
  static constexpr uint32_t kMissing = UINT32_MAX;

  PointerMap() : entries_(1024) {}

  void Clear() {
    ++round_;
    count_ = 0;
  }

  uint32_t Find(const void* key) const {
    for (size_t i = Hash(key);; i = (i + 1) & (entries_.size() - 1)) {
      const Entry& entry = entries_[i];
      if (entry.round != round_) return kMissing;
      if (entry.key == key) return entry.value;
    }
  }

  // `key` must not be in the map.
  void Insert(const void* key, uint32_t value) {
    if (2 * ++count_ > entries_.size()) Grow();
    size_t i = Hash(key);
    while (entries_[i].round == round_) i = (i + 1) & (entries_.size() - 1);
    entries_[i] = {key, value, round_};
  }

 private:
  struct Entry {
    const void* key = nullptr;
    uint32_t value = 0;
    uint32_t round = 0;  // The entry is valid if this equals round_.
  };

  size_t Hash(const void* key) const {
    // Multiplicative hashing; the lowest bits of a pointer are always the same.
    const uint64_t product = (reinterpret_cast<uintptr_t>(key) >> 3) * 0x9e3779b97f4a7c15u;
    return (product >> 32) & (entries_.size() - 1);
  }

  void Grow() {
    std::vector<Entry> old(2 * entries_.size());
    std::swap(old, entries_);
    for (const Entry& entry : old) {
      if (entry.round != round_) continue;
      size_t i = Hash(entry.key);
      while (entries_[i].round == round_) i = (i + 1) & (entries_.size() - 1);
      entries_[i] = entry;
    }
  }

  std::vector<Entry> entries_;  // The size is a power of two.
  uint32_t round_ = 1;
  size_t count_ = 0;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_POINTER_MAP_H_
