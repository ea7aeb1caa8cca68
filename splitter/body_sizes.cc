#include "splitter/body_sizes.h"

namespace firstcall {

bool BodySizes::MayBeWithin(const BodyLimits& limits, SymbolOrdinal function) const {
  absl::MutexLock lock(&mutex_);
  const auto found = sizes_.find(function);
  if (found == sizes_.end()) return true;
  return found->second.as_read <= limits.as_read && found->second.simplified <= limits.simplified;
}

void BodySizes::NoteAsRead(SymbolOrdinal function, size_t instructions) {
  absl::MutexLock lock(&mutex_);
  sizes_[function].as_read = instructions;
}

void BodySizes::NoteSimplified(SymbolOrdinal function, size_t instructions) {
  absl::MutexLock lock(&mutex_);
  sizes_[function].simplified = instructions;
}

}  // namespace firstcall
