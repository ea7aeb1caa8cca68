#include "seam/near_variables.h"

#include <algorithm>
#include <cstddef>

namespace firstcall {
namespace {

// A larger variable is always out of reach.
constexpr uint64_t kMostBytesOfOne = 16 << 20;

// What all near variables of a module may have together: the default arena has room for the data of
// sixteen such modules.
constexpr uint64_t kMostBytesOfAll = 64 << 20;

}  // namespace

uint64_t LargestNearVariable(std::vector<uint64_t> sizes) {
  uint64_t all = 0;
  for (uint64_t size : sizes) all += size <= kMostBytesOfOne ? size : 0;
  if (all <= kMostBytesOfAll) return kMostBytesOfOne;
  std::sort(sizes.begin(), sizes.end());
  uint64_t sum = 0;
  uint64_t largest = 0;
  for (size_t i = 0; i < sizes.size() && sizes[i] <= kMostBytesOfOne; ++i) {
    sum += sizes[i];
    if (sum > kMostBytesOfAll) return largest;
    // All variables of one size are treated alike.
    if (i + 1 == sizes.size() || sizes[i + 1] != sizes[i]) largest = sizes[i];
  }
  return kMostBytesOfOne;
}

}  // namespace firstcall
