#include "direct/osr/live_in_frame.h"

#include <algorithm>

namespace firstcall::direct {

void LiveInFrame::Begin() {
  size_ = alignment_ = 1;
  offsets_.clear();
  first_offset_.clear();
}

void LiveInFrame::Add(const ir::Function& function, const LoopEntry& entry, PollTypes& types) {
  first_offset_.push_back(offsets_.size());
  members_.clear();
  for (const LoopEntry::Value& value : entry.values) {
    members_.push_back(value.is_label ? types.word() : function.values[value.value].type);
  }
  const PollTypes::Layout layout = types.LayoutOf(entry.variable_places, members_);
  size_ = std::max(size_, layout.size);
  alignment_ = std::max(alignment_, layout.alignment);
  offsets_.insert(offsets_.end(), layout.offsets.begin(), layout.offsets.end());
}

}  // namespace firstcall::direct
