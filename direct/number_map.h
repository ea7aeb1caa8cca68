// A map from small numbers to numbers that is emptied in time proportional to what was put in.
//
// Thread-compatible.

#ifndef FIRSTCALL_DIRECT_NUMBER_MAP_H_
#define FIRSTCALL_DIRECT_NUMBER_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace firstcall::direct {

class NumberMap {
 public:
  static constexpr uint32_t kMissing = UINT32_MAX;

  // Empties the map, whose keys are less than `size` from now on.
  void Clear(size_t size) {
    Clear();
    if (values_.size() < size) values_.resize(size, kMissing);
  }
  void Clear() {
    for (uint32_t key : keys_) values_[key] = kMissing;
    keys_.clear();
  }

  // kMissing if the map has no such key.
  uint32_t operator[](uint32_t key) const { return values_[key]; }
  bool Has(uint32_t key) const { return values_[key] != kMissing; }

  // `value` must not be kMissing.
  void Set(uint32_t key, uint32_t value) {
    if (values_[key] == kMissing) keys_.push_back(key);
    values_[key] = value;
  }
  // Adds `key` to a set. Returns whether the key is new.
  bool Insert(uint32_t key) {
    if (values_[key] != kMissing) return false;
    Set(key, 0);
    return true;
  }

 private:
  std::vector<uint32_t> values_;
  std::vector<uint32_t> keys_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_NUMBER_MAP_H_
