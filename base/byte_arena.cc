#include "base/byte_arena.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/populate.h"

namespace firstcall {
namespace {

// The first blocks are for those who have little to keep. A huge page would be too much for most:
// to clear it takes longer than to get these pages.
constexpr size_t kBlockSizes[] = {size_t{16} << 10, size_t{48} << 10, size_t{256} << 10};

size_t SizeOfBlock(size_t number) {
  return kBlockSizes[std::min(number, std::size(kBlockSizes) - 1)];
}

}  // namespace

absl::string_view ByteArena::Copy(absl::string_view bytes) {
  if (blocks_.empty() || bytes.size() > blocks_.back().size() - used_) {
    blocks_.push_back(
        ByteBuffer::Uninitialized(std::max(bytes.size(), SizeOfBlock(blocks_.size()))));
    PopulateForWriting(blocks_.back().data(), blocks_.back().size());
    used_ = 0;
  }
  char* const copy = blocks_.back().data() + used_;
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  used_ += bytes.size();
  return absl::string_view(copy, bytes.size());
}

}  // namespace firstcall
