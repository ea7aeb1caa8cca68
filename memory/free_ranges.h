// Ranges of free addresses that can be allocated again.
//
// Best fit: takes the smallest range that is large enough. Adjacent ranges are merged. Taking and
// adding take time proportional to the logarithm of the number of ranges.
//
// Thread-compatible.

#ifndef FIRSTCALL_MEMORY_FREE_RANGES_H_
#define FIRSTCALL_MEMORY_FREE_RANGES_H_

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/functional/function_ref.h"

namespace firstcall {

class FreeRanges {
 public:
  struct Range {
    size_t address = 0;
    size_t size = 0;
  };

  // Takes `size` bytes (not zero) at a multiple of `alignment` (a power of two). Returns the
  // address, or nothing if neither of the two ranges it tries has room.
  std::optional<size_t> Take(size_t size, size_t alignment);

  // Adds a range that is not free. Returns it merged with the free ranges it touches. Allocates
  // memory.
  Range Add(Range range);

  // Visits the ranges in the order of their addresses.
  void ForEach(absl::FunctionRef<void(Range)> visit) const;

  void Clear();
  size_t total() const { return total_; }  // Bytes.
  size_t count() const { return by_address_.size(); }

 private:
  void Insert(Range range);
  void Erase(absl::btree_map<size_t, size_t>::iterator entry);

  absl::btree_map<size_t, size_t> by_address_;
  absl::btree_set<std::pair<size_t, size_t>> by_size_;  // Size, address.
  size_t total_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_FREE_RANGES_H_
