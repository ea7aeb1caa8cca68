// The abbreviations that a stream's BLOCKINFO gives to all blocks of a kind.
//
// Thread-safe once it is complete.

#ifndef FIRSTCALL_BITCODE_BLOCK_INFO_H_
#define FIRSTCALL_BITCODE_BLOCK_INFO_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "bitcode/abbreviation.h"

namespace firstcall::bitcode {

class BlockInfo {
 public:
  // Ids of blocks are smaller than this.
  static constexpr uint32_t kBlockIds = 64;

  // Those of blocks with the id `block`. The next Add for that id ends their validity.
  absl::Span<const Abbreviation> AbbreviationsOf(uint32_t block) const {
    return block < blocks_.size() ? absl::MakeConstSpan(blocks_[block])
                                  : absl::Span<const Abbreviation>();
  }

  // `block` must be smaller than kBlockIds.
  void Add(uint32_t block, Abbreviation abbreviation) {
    if (block >= blocks_.size()) blocks_.resize(block + size_t{1});
    blocks_[block].push_back(std::move(abbreviation));
  }

 private:
  std::vector<std::vector<Abbreviation>> blocks_;  // By id.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_BLOCK_INFO_H_
