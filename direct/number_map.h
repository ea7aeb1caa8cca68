// A map from small numbers to numbers that is emptied in time proportional to what was put in.
// Takes memory for the pages of 64 keys that were ever in use, and 4 bytes for each other page.
//
// Thread-compatible. Tested in tests/direct/number_map_test.cc.

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
    const size_t pages = size / kPageSize + 1;
    if (pages_.size() < pages) pages_.resize(pages, kNoPage);
  }
  void Clear() {
    for (uint32_t key : keys_) values_[PlaceOf(key)] = kMissing;
    keys_.clear();
  }

  // kMissing if the map has no such key.
  uint32_t operator[](uint32_t key) const {
    const uint32_t page = pages_[key / kPageSize];
    return page == kNoPage ? kMissing : values_[page + key % kPageSize];
  }
  bool Has(uint32_t key) const { return (*this)[key] != kMissing; }

  // `value` must not be kMissing.
  void Set(uint32_t key, uint32_t value) {
    uint32_t& page = pages_[key / kPageSize];
    if (page == kNoPage) {
      page = static_cast<uint32_t>(values_.size());
      values_.resize(values_.size() + kPageSize, kMissing);
    }
    uint32_t& place = values_[PlaceOf(key)];
    if (place == kMissing) keys_.push_back(key);
    place = value;
  }
  // Adds `key` to a set. Returns whether the key is new.
  bool Insert(uint32_t key) {
    if (Has(key)) return false;
    Set(key, 0);
    return true;
  }

 private:
  static constexpr uint32_t kPageSize = 64;
  static constexpr uint32_t kNoPage = UINT32_MAX;

  // The page of `key` must be in use.
  size_t PlaceOf(uint32_t key) const { return pages_[key / kPageSize] + key % kPageSize; }

  std::vector<uint32_t> pages_;  // Where they begin in `values_`.
  std::vector<uint32_t> values_;
  std::vector<uint32_t> keys_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_NUMBER_MAP_H_
