#include "memory/variable_memory.h"

#include "base/forks.h"
#include "memory/thread_local_blocks.h"

namespace firstcall {

VariableMemory& VariableMemory::OfProcess() {
  static VariableMemory memory;  // Constant-initialized; has no destructor.
  static const bool follows_forks = [] {
    AddForkHandlers({[] { memory.mutex_.Lock(); }, [] { memory.mutex_.Unlock(); },
                     [] { memory.mutex_.Unlock(); }});
    return true;
  }();
  (void)follows_forks;
  return memory;
}

// Nothing here allocates memory while the mutex is held, because a thread that a collector has
// stopped may hold a lock of malloc.
VariableMemory::Piece::Piece(VariableMemory& memory, const void* begin, size_t size)
    : memory_(memory), begin_(static_cast<const char*>(begin)), size_(size) {
  UninterruptedLock lock(memory_.mutex_);
  next_ = memory_.first_;
  if (next_ != nullptr) next_->previous_ = this;
  memory_.first_ = this;
}

VariableMemory::Piece::~Piece() {
  UninterruptedLock lock(memory_.mutex_);
  (previous_ == nullptr ? memory_.first_ : previous_->next_) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void VariableMemory::Visit(absl::FunctionRef<void(const char* begin, const char* end)> visit) {
  {
    UninterruptedLock lock(mutex_);
    for (const Piece* piece = first_; piece != nullptr; piece = piece->next_) {
      visit(piece->begin_, piece->begin_ + piece->size_);
    }
  }
  VisitThreadLocalBlocks(visit);
}

}  // namespace firstcall
