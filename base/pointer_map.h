// A map from pointers to values of a small type. The map can be cleared in constant time, so that
// it can be reused for each function.
//
// Thread-compatible. Tested in tests/base/pointer_map_test.cc.

#ifndef FIRSTCALL_BASE_POINTER_MAP_H_
#define FIRSTCALL_BASE_POINTER_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace firstcall {

template <typename Value>
class PointerMap {
 public:
  PointerMap() : entries_(kFirstSize), mask_(kFirstSize - 1) {}

  void Clear() {
    count_ = 0;
    if (++round_ != 0) return;
    // Entries of all rounds look alike after 2^32 of them.
    entries_.assign(entries_.size(), Entry());
    round_ = 1;
  }

  // Null if `key` is not in the map. Valid until the next Insert.
  const Value* Find(const void* key) const {
    const Entry* const entries = entries_.data();
    for (size_t i = Hash(key);; i = (i + 1) & mask_) {
      const Entry& entry = entries[i];
      if (entry.round != round_) return nullptr;
      if (entry.key == key) return &entry.value;
    }
  }

  // `key` must not be in the map.
  void Insert(const void* key, Value value) {
    if (2 * ++count_ > mask_) Grow();
    Place({key, value, round_});
  }

 private:
  static constexpr size_t kFirstSize = 256;

  struct Entry {
    const void* key = nullptr;
    Value value = Value();
    uint32_t round = 0;  // The entry is valid if this equals round_.
  };

  size_t Hash(const void* key) const {
    // Multiplicative hashing. The lowest bits of a pointer are always the same.
    const uint64_t product = (reinterpret_cast<uintptr_t>(key) >> 3) * 0x9e3779b97f4a7c15u;
    return (product >> 32) & mask_;
  }

  void Place(const Entry& entry) {
    size_t i = Hash(entry.key);
    while (entries_[i].round == round_) i = (i + 1) & mask_;
    entries_[i] = entry;
  }

  void Grow() {
    std::vector<Entry> old(2 * entries_.size());
    std::swap(old, entries_);
    mask_ = entries_.size() - 1;
    for (const Entry& entry : old) {
      if (entry.round == round_) Place(entry);
    }
  }

  std::vector<Entry> entries_;  // The size is a power of two.
  size_t mask_;                 // The size, less 1.
  uint32_t round_ = 1;
  size_t count_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_POINTER_MAP_H_
