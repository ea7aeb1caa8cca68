// Ranges of addresses that are free to be used again.
//
// Best fit: the smallest range that is large enough; neighbours become one. Taking and adding cost
// time in proportion to the logarithm of the number of ranges.
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

  // Takes `size` bytes at a multiple of `alignment`, a power of two; nothing if no range is sure to
  // have room for that. `size` is not zero.
  std::optional<size_t> Take(size_t size, size_t alignment);

  // Makes a range free that is not; returns it with the free ranges it touches. Allocates memory.
  Range Add(Range range);

  // In the order of their addresses.
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
