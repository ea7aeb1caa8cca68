// The pool: data behind the last instruction of a function, to which the code refers by distances:
// constants, addresses of far symbols, jump tables, exception tables. Places in the pool are
// offsets from its beginning, which is aligned to 16 bytes or more.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_POOL_H_
#define FIRSTCALL_BACKEND_BASELINE_POOL_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/baseline/code_buffer.h"

namespace firstcall::baseline {

class Pool {
 public:
  // Eight bytes at `offset` with the address of a symbol.
  struct Address {
    uint32_t offset;
    uint32_t symbol;
    int64_t addend;
  };
  // Four bytes at `offset` with the distance from `base` to a label of the code.
  struct Distance {
    uint32_t offset;
    uint32_t base;
    uint32_t label;
  };

  // Eight bytes at `offset` with the address of a label of the code.
  struct LabelAddress {
    uint32_t offset;
    uint32_t label;
  };

  void Clear() {
    alignment_ = 16;
    label_addresses_.clear();
    bytes_.Clear();
    addresses_.clear();
    distances_.clear();
    recent_.clear();
  }

  // Returns the place of a constant of 2, 4, 8 or 16 bytes. A constant that was used recently gets
  // the same place again.
  uint32_t Constant(uint64_t low, uint64_t high, unsigned size) {
    for (const Recent& recent : recent_) {
      if (recent.low == low && recent.high == high && recent.size == size) return recent.offset;
    }
    bytes_.Align(size, 0);
    const uint32_t offset = bytes_.size();
    bytes_.Number(low, size < 8 ? size : 8);
    if (size == 16) bytes_.Number(high, 8);
    if (recent_.size() == kRecent) recent_.erase(recent_.begin());
    recent_.push_back({low, high, size, offset});
    return offset;
  }

  uint32_t AddressOf(uint32_t symbol, int64_t addend = 0) {
    bytes_.Align(8, 0);
    const uint32_t offset = bytes_.size();
    bytes_.Number(0, 8);
    addresses_.push_back({offset, symbol, addend});
    return offset;
  }

  // Makes the eight bytes at `offset`, which must exist, hold the address symbol + addend.
  void AddAddress(uint32_t offset, uint32_t symbol, int64_t addend) {
    addresses_.push_back({offset, symbol, addend});
  }

  uint32_t BeginTable() {
    bytes_.Align(4, 0);
    return bytes_.size();
  }
  void DistanceTo(uint32_t label, uint32_t base) {
    distances_.push_back({static_cast<uint32_t>(bytes_.size()), base, label});
    bytes_.Number(0, 4);
  }

  // Aligns the pool's end, and with it the pool itself, to a power of two.
  void Align(uint64_t alignment) {
    alignment_ = std::max(alignment_, static_cast<uint32_t>(alignment));
    bytes_.Align(alignment, 0);
  }
  // Makes the eight bytes at `offset`, which must exist, hold the address of a label of the code.
  void AddLabelAddress(uint32_t offset, uint32_t label) {
    label_addresses_.push_back({offset, label});
  }

  uint32_t alignment() const { return alignment_; }
  CodeBuffer& bytes() { return bytes_; }
  const std::vector<Address>& addresses() const { return addresses_; }
  const std::vector<LabelAddress>& label_addresses() const { return label_addresses_; }
  const std::vector<Distance>& distances() const { return distances_; }

 private:
  static constexpr size_t kRecent = 16;
  struct Recent {
    uint64_t low, high;
    unsigned size;
    uint32_t offset;
  };

  uint32_t alignment_ = 16;
  CodeBuffer bytes_;
  std::vector<Address> addresses_;
  std::vector<LabelAddress> label_addresses_;
  std::vector<Distance> distances_;
  std::vector<Recent> recent_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_POOL_H_
