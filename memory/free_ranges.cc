#include "memory/free_ranges.h"

#include <iterator>

#include "base/round_up.h"

namespace firstcall {

void FreeRanges::Insert(Range range) {
  by_address_.emplace(range.address, range.size);
  by_size_.emplace(range.size, range.address);
  total_ += range.size;
}

void FreeRanges::Erase(absl::btree_map<size_t, size_t>::iterator entry) {
  total_ -= entry->second;
  by_size_.erase({entry->second, entry->first});
  by_address_.erase(entry);
}

std::optional<size_t> FreeRanges::Take(size_t size, size_t alignment) {
  const auto aligned = [alignment](size_t address) { return RoundUp(address, alignment); };
  // The smallest range of at least `size` bytes may lack room after alignment. The smallest one of
  // at least size + alignment - 1 bytes has room wherever it begins.
  for (const size_t wanted : {size, size + alignment - 1}) {
    auto found = by_size_.lower_bound({wanted, 0});
    if (found == by_size_.end()) return std::nullopt;
    const auto [range_size, address] = *found;
    const size_t begin = aligned(address);
    if (begin + size > address + range_size) continue;
    Erase(by_address_.find(address));
    if (begin > address) Insert({address, begin - address});
    if (address + range_size > begin + size) {
      Insert({begin + size, address + range_size - (begin + size)});
    }
    return begin;
  }
  return std::nullopt;
}

FreeRanges::Range FreeRanges::Add(Range range) {
  if (range.size == 0) return range;
  auto next = by_address_.lower_bound(range.address);
  if (next != by_address_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == range.address) {
      range = {previous->first, previous->second + range.size};
      Erase(previous);
      next = by_address_.lower_bound(range.address);
    }
  }
  if (next != by_address_.end() && range.address + range.size == next->first) {
    range.size += next->second;
    Erase(next);
  }
  Insert(range);
  return range;
}

void FreeRanges::ForEach(absl::FunctionRef<void(Range)> visit) const {
  for (const auto& [address, size] : by_address_) visit({address, size});
}

void FreeRanges::Clear() {
  by_address_.clear();
  by_size_.clear();
  total_ = 0;
}

}  // namespace firstcall
