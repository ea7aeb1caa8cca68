// Which blocks of each function a module's own constants have the addresses of.
//
// Immutable after construction, and thus thread-safe.

#ifndef FIRSTCALL_BITCODE_ADDRESSED_BLOCKS_H_
#define FIRSTCALL_BITCODE_ADDRESSED_BLOCKS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/module.h"

namespace firstcall::bitcode {

class AddressedBlocks {
 public:
  struct Place {
    uint32_t global, block;
  };

  explicit AddressedBlocks(const ir::Module& module) {
    places_.reserve(module.block_addresses().size());
    for (uint32_t number : module.block_addresses()) {
      const ir::Constant& address = module.constants()[number];
      places_.push_back({address.global, address.block()});
    }
    std::sort(places_.begin(), places_.end(),
              [](const Place& a, const Place& b) { return a.global < b.global; });
  }

  // Those of the function with the number `global`.
  absl::Span<const Place> Of(uint32_t global) const {
    if (places_.empty()) return {};
    const auto first =
        std::lower_bound(places_.begin(), places_.end(), global,
                         [](const Place& place, uint32_t wanted) { return place.global < wanted; });
    const auto behind =
        std::upper_bound(first, places_.end(), global,
                         [](uint32_t wanted, const Place& place) { return wanted < place.global; });
    return absl::MakeConstSpan(places_).subspan(first - places_.begin(), behind - first);
  }

 private:
  std::vector<Place> places_;  // Ordered by `global`.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_ADDRESSED_BLOCKS_H_
