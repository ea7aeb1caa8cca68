// The stack frame below rbp: places for values, which are used again when the values are dead.
//
// Thread-compatible; kept from function to function for its memory. Tested in
// tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_FRAME_H_
#define FIRSTCALL_BASELINE_FRAME_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace firstcall::baseline {

class Frame {
 public:
  // The first `reserved` bytes below rbp are somebody else's.
  void Clear(int32_t reserved) {
    used_ = reserved;
    outgoing_ = 0;
    free8_.clear();
    free16_.clear();
  }

  // A place for a value of up to 16 bytes, relative to rbp.
  int32_t AllocateSlot(unsigned bytes) {
    std::vector<int32_t>& free = bytes > 8 ? free16_ : free8_;
    if (free.empty()) return Allocate(bytes > 8 ? 16 : 8, bytes > 8 ? 16 : 8);
    const int32_t slot = free.back();
    free.pop_back();
    return slot;
  }
  void FreeSlot(int32_t slot, unsigned bytes) { (bytes > 8 ? free16_ : free8_).push_back(slot); }

  // A place for as long as the function runs. `alignment` is a power of two of up to 16.
  int32_t Allocate(int64_t bytes, int64_t alignment) {
    used_ = (used_ + bytes + alignment - 1) & -alignment;
    return static_cast<int32_t>(-used_);
  }

  // Space for arguments of calls, at the lower end.
  void NeedOutgoing(int64_t bytes) { outgoing_ = std::max(outgoing_, bytes); }

  // Bytes below rbp, of which `pushed` are pushed by the prologue: what is left to subtract from
  // rsp for it to be aligned to 16 bytes.
  int64_t SizeBelow(int64_t pushed) const {
    return ((used_ + outgoing_ + 15) & ~int64_t{15}) - pushed;
  }
  int64_t used() const { return used_; }

 private:
  int64_t used_ = 0;
  int64_t outgoing_ = 0;
  std::vector<int32_t> free8_, free16_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_FRAME_H_
