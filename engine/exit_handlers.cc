#include "engine/exit_handlers.h"

#include <new>

#include "base/status.h"

// Of the C library, which declares it nowhere.
extern "C" int __cxa_atexit(void (*handler)(void*), void* argument, void* dso_handle);

namespace firstcall {

absl::StatusOr<DsoHandle*> ExitHandlers::MakeHandle() {
  FIRSTCALL_ASSIGN_OR_RETURN(
      ArenaBlock block, arena_.Allocate(Segment::kData, sizeof(DsoHandle), alignof(DsoHandle)));
  return new (block.write) DsoHandle(*this);
}

int ExitHandlers::Register(void (*handler)(void*), void* argument, void* dso_handle) {
  auto* handle = static_cast<DsoHandle*>(dso_handle);
  if (handle == nullptr || handle->mark != DsoHandle::kMark) {
    return __cxa_atexit(handler, argument, dso_handle);
  }
  absl::MutexLock lock(&handle->handlers->mutex_);
  handle->handlers->entries_.push_back({handler, argument});
  return 0;
}

void ExitHandlers::Run() {
  while (true) {
    Entry entry;
    {
      absl::MutexLock lock(&mutex_);
      if (entries_.empty()) return;
      entry = entries_.back();
      entries_.pop_back();
    }
    entry.handler(entry.argument);
  }
}

}  // namespace firstcall
