// The memory in which a poll passes the live-ins of a loop to an OSR continuation: first places for
// the addresses of all variables of the frame, of which those of live variables are written; then
// the values. One frame is large enough for each of the loops.
//
// Thread-compatible. Reuse the object, because it keeps its memory from function to function.
// Tested in tests/direct/osr/polls_test.cc.

#ifndef FIRSTCALL_DIRECT_OSR_LIVE_IN_FRAME_H_
#define FIRSTCALL_DIRECT_OSR_LIVE_IN_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "direct/osr/loop_entries.h"
#include "direct/osr/poll_types.h"
#include "ir/function.h"
#include "ir/type.h"

namespace firstcall::direct {

class LiveInFrame {
 public:
  // Empties the frame.
  void Begin();
  // Adds `entry`, one of `function`. `types` gives the type of labels, which are passed as numbers.
  void Add(const ir::Function& function, const LoopEntry& entry, PollTypes& types);

  // In bytes.
  uint64_t size() const { return size_; }
  uint32_t alignment() const { return alignment_; }
  // Where the values of an entry are. `number`: how many entries were added before.
  absl::Span<const uint64_t> OffsetsOf(size_t number) const {
    return absl::MakeConstSpan(offsets_).subspan(first_offset_[number]);
  }

 private:
  uint64_t size_ = 1;
  uint32_t alignment_ = 1;
  std::vector<uint64_t> offsets_;     // Of all values of all entries.
  std::vector<size_t> first_offset_;  // By entry.
  std::vector<const ir::Type*> members_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_LIVE_IN_FRAME_H_
