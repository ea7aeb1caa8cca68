// The stack frame: places for values, which are reused when the values are dead. A place is a
// distance in bytes from the frame pointer, never 0.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_FRAME_H_
#define FIRSTCALL_BACKEND_BASELINE_FRAME_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/baseline/architecture.h"
#include "backend/baseline/assembler.h"

namespace firstcall::baseline {

class Frame {
 public:
  explicit Frame(const Architecture& architecture)
      : style_(architecture.frame), pointer_(architecture.frame_pointer) {}

  // Starts a new frame. Its first `reserved` bytes, for saved registers, hold no places. If it
  // `keeps_slots`, no place is ever reused.
  void Clear(int32_t reserved, bool keeps_slots) {
    keeps_slots_ = keeps_slots;
    used_ = style_.record_bytes + reserved;
    outer_ = 0;
    outgoing_ = 0;
    free8_.clear();
    free16_.clear();
  }

  // Returns a place for a value of up to 16 bytes.
  int32_t AllocateSlot(unsigned bytes) {
    std::vector<int32_t>& free = bytes > 8 ? free16_ : free8_;
    if (free.empty()) return Allocate(bytes > 8 ? 16 : 8, bytes > 8 ? 16 : 8);
    const int32_t slot = free.back();
    free.pop_back();
    return slot;
  }
  void FreeSlot(int32_t slot, unsigned bytes) {
    if (!keeps_slots_) (bytes > 8 ? free16_ : free8_).push_back(slot);
  }

  // Returns a place that is never freed. `alignment` is a power of two of up to 16.
  int32_t Allocate(int64_t bytes, int64_t alignment) {
    if (style_.grows_up) {
      const int64_t begin = (used_ + alignment - 1) & -alignment;
      used_ = begin + bytes;
      return static_cast<int32_t>(begin);
    }
    used_ = (used_ + bytes + alignment - 1) & -alignment;
    return static_cast<int32_t>(-used_);
  }

  // Returns a place at the frame's upper end, below those that were allocated there before. If the
  // frame grows down, this must be called before any other place is allocated. The place is
  // relative to the incoming arguments if OuterIsIncoming(), and like others otherwise.
  int32_t AllocateOuter(int64_t bytes, int64_t alignment) {
    if (!style_.grows_up) return Allocate(bytes, alignment);
    outer_ = (outer_ + bytes + alignment - 1) & -alignment;
    return static_cast<int32_t>(-outer_);
  }
  bool OuterIsIncoming() const { return style_.grows_up; }

  Mem At(int32_t place) const { return Mem::At(pointer_, place); }
  // The argument that the caller has put at `offset` in the arguments on the stack.
  Mem Incoming(int32_t offset) const {
    if (style_.grows_up) return Mem::Relative(RelativeTo::kIncoming, 0, offset);
    return Mem::At(pointer_, 16 + offset);  // Behind the saved frame pointer and return address.
  }

  // Reserves space for arguments of calls, at the frame's lower end.
  void NeedOutgoing(int64_t bytes) { outgoing_ = std::max(outgoing_, bytes); }
  int64_t outgoing() const { return outgoing_; }

  // The bytes from the frame pointer to the end of the places.
  int64_t used() const { return outer_ == 0 ? used_ : ((used_ + 15) & ~int64_t{15}) + outer_; }

 private:
  const FrameStyle style_;
  const Register pointer_;
  bool keeps_slots_ = false;
  int64_t used_ = 0;
  int64_t outer_ = 0;  // The bytes of the outer places, if the frame grows up.
  int64_t outgoing_ = 0;
  std::vector<int32_t> free8_, free16_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_FRAME_H_
